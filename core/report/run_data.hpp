#pragma once

#include "report/checkpoints.hpp"
#include "report/config_difference.hpp"
#include "report/log_messages.hpp"
#include "report/metrics.hpp"
#include "report/run_record.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lightrun::report {

/// All that a report says of one run.
struct RunData {
  std::string name;    ///< "digits/0"
  std::string folder;  ///< as it was given
  Metrics metrics = {};
  std::string config = {};                ///< the text of config.yaml
  std::optional<Settings> settings = {};  ///< in it; nothing where it cannot be read
  Checkpoints checkpoints = {};
  LogMessages log = {};
  std::optional<RunRecord> record = {};    ///< run.json
  std::vector<std::string> problems = {};  ///< files that could not be read
};

/// Reads a run's folder. A file that is missing leaves its part empty; one that cannot be read is among the
/// problems.
[[nodiscard]] RunData read_run(const std::filesystem::path& folder);

/// "digits/0" of a numbered folder, else only its own name; links are followed.
[[nodiscard]] std::string name_of_run(const std::filesystem::path& folder);

/// The run folders that are meant by `paths`: each a run's folder, or a folder of runs, of which the newest
/// is meant. A run that is meant twice is there once. Throws RunError naming the path where there is no run.
[[nodiscard]] std::vector<std::filesystem::path> find_runs(const std::vector<std::string>& paths);

}  // namespace lightrun::report
