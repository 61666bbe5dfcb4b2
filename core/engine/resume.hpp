#pragma once

#include "config/run_spec.hpp"
#include "state/checkpoint.hpp"

#include <filesystem>
#include <optional>
#include <string>

/// Where `--resume` goes on from.
namespace lightrun::engine {

/// The folder of a run's checkpoints: `checkpoints` in `run_dir`, or where run.checkpoint_dir says.
[[nodiscard]] std::filesystem::path checkpoint_folder(const config::RunSection& run,
                                                      const std::filesystem::path& run_dir);

struct ResumePoint {
  std::filesystem::path path;     ///< of the checkpoint
  std::filesystem::path run_dir;  ///< of the run that made it; empty: it is not in a run's folder
  bool is_newest = false;         ///< no other checkpoint of that run is of a later instant
  state::Checkpoint checkpoint;
};

/// The checkpoint that `word` means: `last`, `best` or `auto` of the newest run of that name (or in
/// run.folder), or a path. Nothing only for `auto`: there is none, and the log says so. Throws RunError
/// naming the path where it is not there, or damaged: then with the newest good one; `auto` takes that.
[[nodiscard]] std::optional<ResumePoint> find_resume_point(const config::RunSection& run,
                                                           const std::string& word);

}  // namespace lightrun::engine
