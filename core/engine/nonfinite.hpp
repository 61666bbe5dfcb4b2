#pragma once

#include "engine/run.hpp"

#include <torch/types.h>

#include <optional>

/// NaN and infinities. Under `stop` (terminate_on_nan) the first one throws NonFiniteError, naming the tensor
/// and where the run is, before the weights are touched. Under `skip` a batch with such a loss, or a step
/// with such a gradient, is left out with a warning. Else the first one of a run is warned about.
namespace lightrun::engine {

/// What the config says to do; nothing: warn and go on.
[[nodiscard]] std::optional<config::OnNonfinite> nonfinite_policy(const Run& run);

/// Before backward: whether the batch must be left out, for its loss.
[[nodiscard]] bool loss_to_skip(Run& run, double loss);

/// After backward. Throws, or warns, where the loss is not finite.
void check_loss(Run& run, double loss);

/// Before a step: whether it must be left out, for its gradients. Weights that are not finite throw also
/// under `skip`.
/// @param norm gradient_norm of the optimizer's parameters
[[nodiscard]] bool step_to_skip(Run& run, const ActiveOptimizer& active, double norm);

[[nodiscard]] bool weights_are_finite(const Run& run);

/// The weights as they are now; what the last step of all made would else go unnoticed. Unless they are
/// finite: throws where there is a policy, else warns.
void check_weights(Run& run);

}  // namespace lightrun::engine
