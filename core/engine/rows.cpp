#include "engine/rows.hpp"

#include <algorithm>
#include <utility>

namespace lightrun::engine {

int64_t last_step(const Run& run) {
  return std::max<int64_t>(run.state.global_step - 1, 0);
}

void keep_row(Run& run, Metrics measured) {
  run.state.kept_row = {.step = run.state.global_step,
                        .values = std::move(measured),
                        .rates = run.logs_rates ? run.learning_rates() : std::vector<double>()};
}

void log_kept_row(Run& run) {
  auto row = std::exchange(run.state.kept_row, std::nullopt);
  if (!row) return;
  for (std::size_t i = 0; i < row->rates.size(); ++i) {
    row->values[row->rates.size() == 1 ? "lr" : "lr_" + std::to_string(i)] = row->rates[i];
  }
  run.log_row(row->step, row->values);
}

void log_from_hooks(Run& run, int64_t step, Metrics row) {
  row.merge(run.metrics.end_epoch(MetricStore::Scope::training));
  row.merge(run.metrics.step_values());
  run.log_row(step, row);
  run.metrics.begin_batch(MetricStore::Scope::training, 1);
}

}  // namespace lightrun::engine
