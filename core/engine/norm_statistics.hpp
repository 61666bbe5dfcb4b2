#pragma once

#include "engine/run.hpp"

namespace lightrun::engine {

/// Gives every batch norm in training mode the mean and variance of one pass over the training data with the
/// weights of now, each batch counting the same: as PyTorch's swa_utils.update_bn. The batches go through
/// training_step, whole, without gradients, and what it logs is lost. A model without such a batch norm is
/// left as it is. False: a signal came before the end.
[[nodiscard]] bool recompute_norm_statistics(Run& run);

}  // namespace lightrun::engine
