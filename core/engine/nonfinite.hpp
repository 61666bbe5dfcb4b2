#pragma once

#include "engine/run.hpp"

#include <torch/types.h>

namespace lightrun::engine {

/// NaN and infinities. With `terminate_on_nan` each of these throws NonFiniteError, naming the first bad
/// tensor and where the run is, before the weights are touched; without it the first bad loss of a run is
/// warned about.

void check_loss(Run& run, double loss);

/// @param norm gradient_norm of the optimizer's parameters
void check_before_step(Run& run, const ActiveOptimizer& active, double norm);

/// The weights as they are now; what the last step of all made would else go unnoticed.
void check_weights(Run& run);

/// Whether clipping must leave this step out, since one bad gradient would spoil every weight. Warns, once a
/// run.
[[nodiscard]] bool spoiled_by_clipping(Run& run, const ActiveOptimizer& active, double norm);

}  // namespace lightrun::engine
