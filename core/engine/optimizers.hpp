#pragma once

#include "engine/run.hpp"

namespace lightrun::engine {

/// Asks the model for its optimizers, or makes the config's, and puts them to work. Throws ConfigError where neither
/// gives one.
void configure_optimizers(Run& run);

}  // namespace lightrun::engine
