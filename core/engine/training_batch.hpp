#pragma once

#include "engine/run.hpp"

#include <lightrun/batch.hpp>

namespace lightrun::engine {

struct BatchOutcome {
  bool step_done = false;   ///< an accumulation window closed with an optimizer step
  bool skip_epoch = false;  ///< a hook asked to leave out this batch and the rest of the epoch
};

/// Trains on one batch: from on_batch_start to on_train_batch_end. The caller counts. An empty batch has no
/// hooks. The window that a skipped epoch leaves open closes with what it holds.
/// @param is_last whether it is the epoch's last, which closes its window whatever the window holds
[[nodiscard]] BatchOutcome train_batch(Run& run, const Batch& batch, bool is_last);

}  // namespace lightrun::engine
