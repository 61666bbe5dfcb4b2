#pragma once

#include "engine/entry.hpp"
#include "engine/resume.hpp"
#include "engine/run.hpp"

namespace lightrun::engine {

/// Makes the run's folder, `<run.dir>/<run.name>/<n>` or run.folder, with config.yaml, checkpoints/, log.txt
/// and the loggers' files; or takes up the one of the run that is resumed, if the checkpoint is its newest
/// and no new run is asked for. Locks it, and fills in info.run_dir, checkpoint_dir and the run's id. A
/// fast_dev_run writes nothing. Throws RunError naming the path: also where another process holds the folder,
/// or run.folder holds a run that the request does not give up.
/// @param from where the run is resumed from; nullptr in a new run
void make_output(Run& run, const RunRequest& request, const ResumePoint* from);

/// Where the log of a run is: `<run_dir>/log.txt`.
[[nodiscard]] std::string log_path(const RunInfo& info);

}  // namespace lightrun::engine
