#include "loggers/histogram.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace lightrun::loggers {
namespace {

[[nodiscard]] std::vector<double> make_all_limits() {
  std::vector<double> positive;
  for (double limit = 1e-12; limit < 1e20; limit *= 1.1) positive.push_back(limit);
  positive.push_back(std::numeric_limits<double>::max());
  std::vector<double> limits;
  std::transform(positive.rbegin(), positive.rend(), std::back_inserter(limits),
                 [](double limit) { return -limit; });
  limits.push_back(0);
  limits.insert(limits.end(), positive.begin(), positive.end());
  return limits;
}

}  // namespace

const std::vector<double>& all_limits() {
  static const std::vector<double> limits = make_all_limits();
  return limits;
}

void set_buckets(Histogram& histogram, std::span<const int64_t> counts) {
  const auto is_filled = [](int64_t count) { return count > 0; };
  const auto first = std::ranges::find_if(counts, is_filled);
  const auto behind_last = std::find_if(counts.rbegin(), counts.rend(), is_filled).base();
  histogram.limits.clear();
  histogram.counts.clear();
  const auto add = [&](std::span<const int64_t>::iterator bucket) {
    histogram.limits.push_back(all_limits()[static_cast<std::size_t>(bucket - counts.begin())]);
    histogram.counts.push_back(static_cast<double>(*bucket));
  };
  if (first == counts.end()) return;
  if (first != counts.begin()) add(first - 1);
  for (auto bucket = first; bucket != behind_last; ++bucket)
    if (is_filled(*bucket) || is_filled(*(bucket + 1))) add(bucket);
}

}  // namespace lightrun::loggers
