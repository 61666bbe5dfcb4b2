#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lightrun::report {

/// One checkpoint file of a run.
struct CheckpointMark {
  std::string file;                  ///< "best.ckpt"
  int64_t steps = 0;                 ///< optimizer steps that are in it
  int64_t epoch = 0;                 ///< from 0; the one under way, or the last one
  double seconds = 0;                ///< of training until then
  bool is_best = false;              ///< of those that a model_checkpoint kept
  std::string monitor = {};          ///< the metric it was kept for; "": for none
  std::optional<double> value = {};  ///< of that metric
};

/// What a run's checkpoints tell beside their tensors.
struct Checkpoints {
  std::vector<CheckpointMark> marks;                       ///< by steps, then by name
  std::map<std::string, bool, std::less<>> higher_better;  ///< of each monitored metric
  std::optional<double> samples_per_step;                  ///< on average, of the latest one
  std::map<std::string, std::string> environment;          ///< of the latest one
  std::string model;                                       ///< of the latest one
  std::vector<std::string> problems;                       ///< of files that are damaged or no checkpoints
};

/// Reads the heads of all `*.ckpt` in a folder; not their data, and not the temporary files of a save that is
/// under way. A folder that is not there has none.
[[nodiscard]] Checkpoints read_checkpoints(const std::filesystem::path& folder);

}  // namespace lightrun::report
