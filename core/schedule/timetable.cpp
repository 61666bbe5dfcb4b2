#include "schedule/timetable.hpp"

#include "schedule/window.hpp"

namespace lightrun::schedule {
namespace {

constexpr int64_t kMostBatches = 100'000'000;

/// Whether the run goes on after the epoch.
bool walk_epoch(const Plan& plan, int64_t epoch, Timetable& table) {
  const int64_t factor = accumulation_factor(plan.accumulation, epoch);
  int64_t window = 0;
  for (int64_t batch = 0; batch < *plan.train_batches; ++batch) {
    const bool is_last = batch + 1 == *plan.train_batches;
    ++table.batches;
    ++window;
    if (closes_window(window, factor, is_last)) {
      ++table.steps;
      if (epoch == 0) table.windows.push_back(window);
      window = 0;
    }
    const Progress progress{.epoch = epoch,
                            .batch_idx = batch,
                            .batches_seen = table.batches,
                            .global_step = table.steps,
                            .is_last = is_last};
    if (plan.validation_due(progress, false)) table.validations.push_back(table.batches);
    if (plan.max_steps_reached(table.steps)) return false;
  }
  return true;
}

}  // namespace

std::optional<Timetable> timetable(const Plan& plan) {
  const auto totals = plan.totals();
  if (!totals || totals->batches > kMostBatches) return std::nullopt;
  Timetable table;
  bool goes_on = !plan.max_steps_reached(0);
  while (goes_on && table.epochs < plan.max_epochs) {
    table.steps_at_epoch.push_back(table.steps);
    goes_on = walk_epoch(plan, table.epochs++, table);
  }
  return table;
}

}  // namespace lightrun::schedule
