#pragma once

#include "engine/resume.hpp"
#include "engine/run.hpp"

#include <filesystem>
#include <vector>

namespace lightrun::engine {

/// Makes the loggers of the config, in its order, with their files in `folder`. A resumed run goes on with
/// what the loggers of the same type and path wrote before. Throws RunError naming the path.
/// @param from where the run is resumed from; nullptr in a new run
void add_loggers(Run& run, const std::filesystem::path& folder, const ResumePoint* from);

/// What a checkpoint keeps of each logger: its state, and with it `type` and `path`.
[[nodiscard]] std::vector<loggers::LoggerState> logger_states(const Run& run);

}  // namespace lightrun::engine
