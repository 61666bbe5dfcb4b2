#pragma once

#include "engine/run.hpp"

#include <lightrun/batch.hpp>

namespace lightrun::engine {

enum class BatchOutcome {
  window_open,  ///< gradients were gathered (or the batch was skipped); no optimizer step yet
  step_done,    ///< the accumulation window closed
  skip_epoch,   ///< a hook asked to leave out this batch and the rest of the epoch; nothing was trained
};

/// Trains on one batch: from on_batch_start to on_train_batch_end. The caller counts.
/// @param is_last whether it is the epoch's last, which closes its window whatever the window holds
[[nodiscard]] BatchOutcome train_batch(Run& run, const Batch& batch, bool is_last);

}  // namespace lightrun::engine
