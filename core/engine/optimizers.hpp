#pragma once

#include "engine/run.hpp"

#include <lightrun/error.hpp>

namespace lightrun::engine {

/// "Nobody says which optimizer": neither the model nor the config.
[[nodiscard]] ConfigError no_optimizer(const Run& run);

/// Whether the config's optimizer can be made for this model. Throws ConfigError.
void check_optimizer(const Run& run);

/// Whether its scheduler can be made for a run of this length. Throws ConfigError.
void check_schedule(const Run& run);

/// Asks the model for its optimizers, or makes the config's, and puts them to work. Throws ConfigError where
/// neither gives one.
void configure_optimizers(Run& run);

}  // namespace lightrun::engine
