#include "callbacks/early_stopping.hpp"

#include "support/quantity.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

namespace lightrun::callbacks {

std::optional<std::string> EarlyStopping::limit_passed(double value) const {
  const auto text = [](double number) { return support::value_text(number); };
  if (rule_.check_finite && !std::isfinite(value)) return fmt::format("is {}", text(value));
  if (rule_.stopping_threshold && better(value, *rule_.stopping_threshold)) {
    return fmt::format("is {}, better than {}", text(value), text(*rule_.stopping_threshold));
  }
  if (rule_.divergence_threshold && better(*rule_.divergence_threshold, value)) {
    return fmt::format("is {}, worse than {}", text(value), text(*rule_.divergence_threshold));
  }
  return std::nullopt;
}

void EarlyStopping::consider(Context& context, double value) {
  last_ = value;
  if (!limit_passed(value)) {
    const bool is_better = best_ ? better(value, *best_, rule_.min_delta) : !std::isnan(value);
    if (is_better) best_ = value;
    waited_ = is_better ? 0 : waited_ + 1;
  }
  judge(context);
}

void EarlyStopping::judge(Context& context) {
  if (!last_) return;
  const std::string& metric = monitored().metric;
  if (const auto passed = limit_passed(*last_)) {
    context.request_stop(fmt::format("early_stopping: {} {}", metric, *passed));
    return;
  }
  if (waited_ < std::max<int64_t>(rule_.patience, 1)) return;
  const std::string than = best_ ? fmt::format(" than {}", support::value_text(*best_)) : "";
  context.request_stop(fmt::format("early_stopping: {} has been no better{} for {} in a row", metric, than,
                                   support::counted(waited_, "value", "values")));
}

void EarlyStopping::on_train_start(Context& context) {
  judge(context);
}

void EarlyStopping::save_state(StateDict& state) const {
  Monitor::save_state(state);
  if (last_) state.set("last", *last_);
  if (best_) state.set("best", *best_);
  state.set("waited", waited_);
}

void EarlyStopping::load_state(const StateDict& state) {
  Monitor::load_state(state);
  const auto number = [&](const char* name) {
    return state.contains(name) ? std::optional(state.get<double>(name)) : std::nullopt;
  };
  last_ = number("last");
  best_ = number("best");
  waited_ = state.get<int64_t>("waited");
}

}  // namespace lightrun::callbacks
