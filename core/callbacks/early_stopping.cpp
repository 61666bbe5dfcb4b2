#include "callbacks/early_stopping.hpp"

#include "support/quantity.hpp"

#include <spdlog/fmt/fmt.h>

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
  const std::string& metric = monitored().metric;
  if (const auto passed = limit_passed(value)) {
    context.request_stop(fmt::format("early_stopping: {} {}", metric, *passed));
    return;
  }
  const bool is_better = best_ ? better(value, *best_, rule_.min_delta) : !std::isnan(value);
  if (is_better) {
    best_ = value;
    waited_ = 0;
    return;
  }
  if (++waited_ < rule_.patience) return;
  const std::string than = best_ ? fmt::format(" than {}", support::value_text(*best_)) : "";
  context.request_stop(fmt::format("early_stopping: {} has been no better{} for {} in a row", metric, than,
                                   support::counted(waited_, "value", "values")));
}

}  // namespace lightrun::callbacks
