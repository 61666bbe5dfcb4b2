#include "schedule/window.hpp"

#include <algorithm>
#include <iterator>

namespace lightrun::schedule {

int64_t accumulation_factor(const config::AccumulationSchedule& schedule, int64_t epoch) {
  const auto after = schedule.upper_bound(epoch);
  return after == schedule.begin() ? 1 : std::prev(after)->second;
}

int64_t planned_window(int64_t batch_idx, int64_t factor, std::optional<int64_t> batches_in_epoch) {
  return batches_in_epoch ? std::min(factor, *batches_in_epoch - batch_idx) : factor;
}

}  // namespace lightrun::schedule
