#include "report/throughput.hpp"

#include <algorithm>

namespace lightrun::report {
namespace {

constexpr double kShortestSpan = 0.02;
constexpr double kSpans = 400;

}  // namespace

Series throughput(const Metrics& metrics, std::optional<double> samples_per_step) {
  Series series{.name = samples_per_step ? kSamplesPerSecond : kStepsPerSecond, .rows = {}, .values = {}};
  if (metrics.rows() == 0) return series;
  const double span = std::max(kShortestSpan, (metrics.seconds.back() - metrics.seconds.front()) / kSpans);
  std::size_t from = 0;
  for (std::size_t row = 1; row < metrics.rows(); ++row) {
    const int64_t steps = metrics.steps[row] - metrics.steps[from];
    const double seconds = metrics.seconds[row] - metrics.seconds[from];
    if (steps > 0 && seconds >= span) {
      series.rows.push_back(row);
      series.values.push_back(static_cast<double>(steps) * samples_per_step.value_or(1) / seconds);
      from = row;
    } else if (steps < 0 || seconds < 0) {
      from = row;  // a run that was taken up again further back
    }
  }
  return series;
}

std::optional<double> mean_throughput(const Metrics& metrics, std::optional<double> samples_per_step) {
  if (metrics.rows() == 0) return std::nullopt;
  const int64_t steps = metrics.steps.back() - metrics.steps.front();
  const double seconds = metrics.seconds.back() - metrics.seconds.front();
  if (steps <= 0 || seconds < kShortestSpan) return std::nullopt;
  return static_cast<double>(steps) * samples_per_step.value_or(1) / seconds;
}

}  // namespace lightrun::report
