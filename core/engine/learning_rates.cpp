#include "engine/learning_rates.hpp"

#include "schedule/learning_rate.hpp"
#include "support/metric_names.hpp"

#include <lightrun/error.hpp>

#include <spdlog/spdlog.h>

#include <algorithm>

namespace lightrun::engine {
namespace {

using Interval = LrSchedule::Interval;

schedule::PlateauRule rule_of(const ReduceOnPlateau& plateau) {
  return {.higher_is_better = plateau.higher_is_better,
          .factor = plateau.factor,
          .patience = plateau.patience,
          .threshold = plateau.threshold,
          .relative = plateau.relative,
          .cooldown = plateau.cooldown,
          .min_lr = plateau.min_lr,
          .eps = plateau.eps};
}

void apply_schedule(ActiveOptimizer& active, const state::ScheduleState& state) {
  const LrSchedule& schedule = *active.setup.schedule;
  auto& groups = active.setup.optimizer->param_groups();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    double rate = active.base_rates[i];
    if (schedule.plateau) {
      rate = schedule::reduced(rate, state.plateau.reductions, rule_of(*schedule.plateau));
    }
    if (schedule.rate) rate = schedule.rate(rate, state.count);
    groups[i].options().set_lr(rate);
  }
}

/// Whether the metric a schedule watches could not be there yet: no validation was held so far, or no epoch
/// has ended.
bool may_still_come(const Run& run, Interval interval) {
  if (run.plan.validates()) return run.state.validations == 0;
  return interval == Interval::step && run.state.epoch == 0;
}

[[noreturn]] void throw_missing(const Run& run, const std::string& monitor) {
  const std::string text = support::missing_metric(monitor, run.metrics.names());
  if (!run.spec.scheduler) throw RunError("a schedule of the model watches a metric: " + text);
  throw ConfigError(run.at_setting("scheduler.monitor") + text);
}

/// Takes in a new value of the watched metric. False: there is none.
bool look_at_metric(const Run& run, const ReduceOnPlateau& plateau, Interval interval,
                    state::ScheduleState& state) {
  const int64_t published = run.metrics.times_published(plateau.monitor);
  if (published == 0 && !may_still_come(run, interval)) throw_missing(run, plateau.monitor);
  if (published == state.metric_seen) return false;
  state.metric_seen = published;
  state.plateau =
      schedule::after(state.plateau, run.metrics.latest().find(plateau.monitor)->second, rule_of(plateau));
  return true;
}

/// @param events steps or epochs so far
void advance(Run& run, std::size_t i, Interval interval, int64_t events) {
  const auto& schedule = run.optimizers[i].setup.schedule;
  if (run.schedules_rest || !schedule || schedule->interval != interval || events % schedule->frequency != 0)
    return;
  state::ScheduleState& state = run.state.schedules[i];
  if (schedule->plateau && !look_at_metric(run, *schedule->plateau, interval, state)) return;
  ++state.count;
  apply_schedule(run.optimizers[i], state);
  run.bus->note("scheduler", "step");
}

}  // namespace

void start_schedules(Run& run) {
  for (std::size_t i = 0; i < run.optimizers.size(); ++i) {
    if (run.optimizers[i].setup.schedule) apply_schedule(run.optimizers[i], run.state.schedules[i]);
  }
}

void advance_step_schedules(Run& run, const std::vector<bool>& stepped) {
  for (std::size_t i = 0; i < run.optimizers.size(); ++i) {
    if (stepped[i]) advance(run, i, Interval::step, ++run.state.schedules[i].steps);
  }
}

void advance_epoch_schedules(Run& run) {
  for (std::size_t i = 0; i < run.optimizers.size(); ++i)
    advance(run, i, Interval::epoch, run.state.epoch + 1);
}

void warn_of_unknown_metrics(const Run& run) {
  const bool validation_was_tried = !run.plan.validates() || run.plan.sanity_batches > 0;
  const auto known = run.metrics.names();
  for (const auto& active : run.optimizers) {
    const auto& schedule = active.setup.schedule;
    if (!validation_was_tried || !schedule || !schedule->plateau) continue;
    const std::string& monitor = schedule->plateau->monitor;
    if (std::ranges::find(known, monitor) != known.end()) continue;
    spdlog::warn("{}{} so far; if it stays so, the run ends with an error when the schedule needs it",
                 run.spec.scheduler ? run.at_setting("scheduler.monitor") : "a schedule: ",
                 support::missing_metric(monitor, known));
  }
}

}  // namespace lightrun::engine
