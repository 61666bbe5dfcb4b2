#include "engine/learning_rates.hpp"

namespace lightrun::engine {
namespace {

void apply_schedule(ActiveOptimizer& active, int64_t count) {
  auto& groups = active.setup.optimizer->param_groups();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    groups[i].options().set_lr(active.setup.schedule->rate(active.base_rates[i], count));
  }
}

}  // namespace

void start_schedules(Run& run) {
  for (std::size_t i = 0; i < run.optimizers.size(); ++i) {
    if (run.optimizers[i].setup.schedule) apply_schedule(run.optimizers[i], run.state.schedule_counts[i]);
  }
}

void advance_schedules(Run& run, LrSchedule::Interval interval) {
  const int64_t events =
      (interval == LrSchedule::Interval::step ? run.state.global_step : run.state.epoch) + 1;
  for (std::size_t i = 0; i < run.optimizers.size(); ++i) {
    const auto& schedule = run.optimizers[i].setup.schedule;
    if (!schedule || schedule->interval != interval || events % schedule->frequency != 0) continue;
    apply_schedule(run.optimizers[i], ++run.state.schedule_counts[i]);
    run.bus->note("scheduler", "step");
  }
}

}  // namespace lightrun::engine
