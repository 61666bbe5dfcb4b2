#pragma once

#include <lightrun/event.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

namespace lightrun::engine {

/// Where the run was when a hook was called.
struct TracePosition {
  int64_t epoch = 0;
  int64_t batch_idx = 0;
  int64_t global_step = 0;
  std::optional<int64_t> optimizer_idx = {};
  std::optional<int64_t> split_idx = {};
  std::optional<int64_t> val_batch_idx = {};
};

/// Writes the hook trace, one JSON object a line:
/// `{"who": "model", "hook": "training_step", "epoch": 0, "batch_idx": 3, "global_step": 3}`; `who` is
/// `callback` (one line a hook, however many callbacks there are), `model`, `scheduler` or `checkpoint`.
/// Throws RunError naming the file where it cannot be written, once.
class Trace {
 public:
  explicit Trace(std::filesystem::path path);
  void record(std::string_view who, std::string_view hook, const TracePosition& position);

  /// From here on what cannot be written is left out: the run is ending on another error.
  void forgive() { forgiving_ = true; }

 private:
  std::filesystem::path path_;
  std::ofstream out_;
  bool forgiving_ = false;
};

}  // namespace lightrun::engine
