#pragma once

#include "engine/run.hpp"

#include <lightrun/batch.hpp>

#include <algorithm>
#include <vector>

namespace lightrun::engine {

struct BatchOutcome {
  std::vector<bool> stepped = {};  ///< of each optimizer: an accumulation window closed with its step
  bool skip_epoch = false;         ///< a hook asked to leave out this batch and the rest of the epoch

  [[nodiscard]] bool step_done() const { return std::ranges::find(stepped, true) != stepped.end(); }
};

/// Trains on one batch: from on_batch_start to on_train_batch_end. The caller counts. An empty batch has no
/// hooks. The window that a skipped epoch leaves open closes with what it holds.
/// @param is_last whether it is the epoch's last, which closes its window whatever the window holds
[[nodiscard]] BatchOutcome train_batch(Run& run, const Batch& batch, bool is_last);

}  // namespace lightrun::engine
