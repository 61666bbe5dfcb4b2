#include "callbacks/lr_monitor.hpp"

#include <spdlog/fmt/fmt.h>

namespace lightrun::callbacks {

void LrMonitor::log_rates(Context& context) const {
  constexpr LogOptions kThisStep = {.on_step = true, .on_epoch = false};
  const auto all = options_.rates();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string name = all.size() == 1 ? "lr" : fmt::format("lr_{}", i);
    const auto& groups = all[i];
    context.log(name, groups.front(), kThisStep);
    if (groups.size() == 1) continue;
    for (std::size_t group = 0; group < groups.size(); ++group)
      context.log(fmt::format("{}/{}", name, group), groups[group], kThisStep);
  }
}

void LrMonitor::on_train_epoch_start(Context& context) {
  if (options_.every_epoch) log_rates(context);
}

void LrMonitor::on_train_batch_end(Context& context) {
  if (!options_.every_epoch) log_rates(context);
}

}  // namespace lightrun::callbacks
