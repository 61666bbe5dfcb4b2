#pragma once

#include "engine/entry.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lightrun::support {
class LinePrinter;
}

namespace lightrun::engine {

/// One line of a hook trace.
struct HookCall {
  std::string who;
  std::string hook;
  int64_t epoch = 0;
  int64_t batch_idx = 0;

  friend bool operator==(const HookCall&, const HookCall&) = default;
};

/// Plays the loop through with a stand-in for the model, which takes the same hooks and computes nothing, up
/// to the end of the first epoch: each hook that the run will call, in its order. The real model is asked for
/// its optimizers, measures its first validation batch for what it logs, and cuts its first training batch
/// where its number of splits is needed. Writes the trace to `file`, if one is given, as `--trace` does.
///
/// What nobody can know before is left out: batches that hooks skip, epochs they end, and how often an
/// optimizer that evaluates the loss itself does so; each validation is taken to be the best so far. Throws
/// what build() throws, and RunError where the data is a stream.
[[nodiscard]] std::vector<HookCall> rehearse(RunRequest request, support::LinePrinter& printer,
                                             const std::optional<std::filesystem::path>& file);

}  // namespace lightrun::engine
