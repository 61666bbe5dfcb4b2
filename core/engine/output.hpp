#pragma once

#include "engine/run.hpp"

namespace lightrun::engine {

/// Makes the run's folder `<run.dir>/<run.name>/<n>` with config.yaml, checkpoints/, log.txt and the loggers'
/// files, and fills in info.run_dir. A fast_dev_run writes nothing. Throws RunError naming the path.
void make_output(Run& run);

/// Where the log of a run is: `<run_dir>/log.txt`.
[[nodiscard]] std::string log_path(const RunInfo& info);

}  // namespace lightrun::engine
