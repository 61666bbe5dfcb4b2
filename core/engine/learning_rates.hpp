#pragma once

#include "engine/run.hpp"

namespace lightrun::engine {

/// Sets the rates that the schedules begin with.
void start_schedules(Run& run);

/// Advances the schedules of this interval: called once after every optimizer step (before global_step counts
/// it), and once at every epoch's end. One that watches a metric advances only where there is a new value;
/// throws ConfigError (RunError where the model made the schedule) if the metric should be there and is not.
void advance_schedules(Run& run, LrSchedule::Interval interval);

/// After a run's first batch: warns where a schedule watches a metric that nobody has logged, though it could
/// be known.
void warn_of_unknown_metrics(const Run& run);

}  // namespace lightrun::engine
