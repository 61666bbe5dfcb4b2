#pragma once

#include "engine/run.hpp"

namespace lightrun::engine {

/// Sets the rates that the schedules begin with.
void start_schedules(Run& run);

/// Advances the schedules of interval `step`, of the optimizers that have stepped. One that watches a metric
/// advances only where there is a new value; throws ConfigError (RunError where the model made the schedule)
/// if the metric should be there and is not.
void advance_step_schedules(Run& run, const std::vector<bool>& stepped);

/// Advances the schedules of interval `epoch`, at an epoch's end; likewise.
void advance_epoch_schedules(Run& run);

/// After a run's first batch: warns where a schedule watches a metric that nobody has logged, though it could
/// be known.
void warn_of_unknown_metrics(const Run& run);

}  // namespace lightrun::engine
