#include "engine/run.hpp"

namespace lightrun::engine {

void Run::connect() {
  context_impl = std::make_unique<Context::Impl>(*this);
  bus = std::make_unique<EventBus>(callbacks, *model, Context(*context_impl), trace.get(), profiler.get(),
                                   [this] { return position(); });
}

std::string Run::at_setting(std::string_view path) const {
  return config::where(spec.origins, path) + std::string(path) + ": ";
}

bool Run::evaluates() const {
  return stage == Stage::validating || stage == Stage::sanity_checking || stage == Stage::testing ||
         stage == Stage::predicting;
}

TracePosition Run::position() const {
  TracePosition position{
      .epoch = state.epoch, .batch_idx = state.batch_idx, .global_step = state.global_step};
  if (evaluates()) position.val_batch_idx = val_batch_idx;
  return position;
}

double Run::seconds() const {
  return state.seconds + std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
}

void Run::log_row(int64_t step, const Metrics& values) {
  if (values.empty()) return;
  const double now = seconds();
  for (const auto& logger : loggers) logger->log_metrics(step, state.epoch, now, values);
}

std::vector<double> Run::learning_rates() const {
  std::vector<double> rates;
  for (const auto& groups : group_rates()) rates.push_back(groups.front());
  return rates;
}

std::vector<std::vector<double>> Run::group_rates() const {
  std::vector<std::vector<double>> rates;
  for (const auto& active : optimizers) {
    auto& of_one = rates.emplace_back();
    for (const auto& group : active.setup.optimizer->param_groups())
      of_one.push_back(group.options().get_lr());
  }
  return rates;
}

}  // namespace lightrun::engine
