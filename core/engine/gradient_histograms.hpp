#pragma once

#include "engine/run.hpp"

/// Histograms of the gradients, for loggers that ask for them.
namespace lightrun::engine {

/// Before the step at hand is done: keeps a histogram of each of the optimizer's gradients, as they are,
/// where a logger wants them of this step. They are called "gradients/<parameter>".
void keep_gradient_histograms(Run& run, const ActiveOptimizer& active);

/// Logs those that are kept as of the step `step`.
void log_gradient_histograms(Run& run, int64_t step);

}  // namespace lightrun::engine
