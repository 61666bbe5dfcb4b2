#pragma once

#include "engine/run.hpp"

#include <lightrun/batch.hpp>

namespace lightrun::engine {

/// Trains on one batch: from on_batch_start to on_train_batch_end, and leaves what came of it in
/// run.state.trained: also where one of the ending hooks throws. An empty batch has no hooks. The window that
/// a skipped epoch leaves open closes with what it holds.
/// @param is_last whether it is the epoch's last, which closes its window whatever the window holds
void train_batch(Run& run, const Batch& batch, bool is_last);

/// Steps with what the open window holds, without a batch.
void close_window(Run& run);

}  // namespace lightrun::engine
