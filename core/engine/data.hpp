#pragma once

#include "engine/run.hpp"

/// The run's data, and the plan that follows from its size.
namespace lightrun::engine {

/// Asks the model for its training and validation data, and makes the plan and the numbers of RunInfo. Throws
/// ConfigError where a limit does not fit the data, RunError where there is none to train on.
void prepare(Run& run);

/// The same for `lightrun test`: the test data only.
void prepare_test(Run& run);

/// ... and for `lightrun predict`: its data only, whole and in its own order.
void prepare_predict(Run& run);

/// At an epoch's start: asks for the data again, where trainer.reload_dataloaders_every_n_epochs says so.
void reload_data_if_due(Run& run);

}  // namespace lightrun::engine
