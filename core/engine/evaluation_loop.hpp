#pragma once

#include "engine/run.hpp"

namespace lightrun::predictions {
class Writer;
}

/// Whole runs that do not train, with their set-up and ending hooks, as fit() does a training.
namespace lightrun::engine {

/// The test.
/// @return what was measured
[[nodiscard]] Metrics test(Run& run);

/// Hands everything that the model predicts to `writer`, and has it written. Random numbers begin at the
/// run's seed.
/// @return false: a signal has ended it early, nothing is written
[[nodiscard]] bool predict(Run& run, predictions::Writer& writer);

}  // namespace lightrun::engine
