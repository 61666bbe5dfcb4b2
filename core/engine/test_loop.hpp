#pragma once

#include "engine/run.hpp"

namespace lightrun::engine {

/// Runs the whole test, with its set-up and ending hooks, as fit() does a training.
/// @return what was measured
[[nodiscard]] Metrics test(Run& run);

}  // namespace lightrun::engine
