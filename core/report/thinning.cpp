#include "report/thinning.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lightrun::report {
namespace {

constexpr std::size_t kOfAStretch = 3;  // lowest, highest, not finite

/// Marks the rows that stay for one series.
void keep_rows(const Series& series, std::size_t share, std::vector<bool>& kept) {
  const std::size_t count = series.values.size();
  const std::size_t stretches = count <= share ? count : std::max<std::size_t>(1, share / kOfAStretch);
  for (std::size_t i = 0; i < stretches; ++i) {
    const std::size_t begin = i * count / stretches;
    const std::size_t end = (i + 1) * count / stretches;
    std::size_t low = end;
    std::size_t high = end;
    std::size_t wild = end;
    for (std::size_t at = begin; at < end; ++at) {
      const double value = series.values[at];
      if (!std::isfinite(value)) {
        wild = at;
        continue;
      }
      if (low == end || value < series.values[low]) low = at;
      if (high == end || value > series.values[high]) high = at;
    }
    for (const std::size_t at : {low, high, wild})
      if (at != end) kept[series.rows[at]] = true;
  }
}

template <typename T>
[[nodiscard]] std::vector<T> only(const std::vector<T>& all, const std::vector<bool>& kept) {
  std::vector<T> some;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (kept[i]) some.push_back(all[i]);
  return some;
}

}  // namespace

Metrics thinned(Metrics metrics, std::size_t most) {
  if (metrics.rows() <= most) return metrics;
  std::vector<bool> kept(metrics.rows(), false);
  kept.front() = kept.back() = true;
  const std::size_t share = most / std::max<std::size_t>(1, metrics.series.size());
  for (const Series& series : metrics.series) keep_rows(series, share, kept);

  std::vector<std::size_t> new_row(metrics.rows());
  std::size_t next = 0;
  for (std::size_t row = 0; row < kept.size(); ++row) new_row[row] = kept[row] ? next++ : 0;
  for (Series& series : metrics.series) {
    Series rest{.name = std::move(series.name), .rows = {}, .values = {}};
    for (std::size_t i = 0; i < series.rows.size(); ++i) {
      if (!kept[series.rows[i]]) continue;
      rest.rows.push_back(new_row[series.rows[i]]);
      rest.values.push_back(series.values[i]);
    }
    series = std::move(rest);
  }
  metrics.epochs = only(metrics.epochs, kept);
  metrics.steps = only(metrics.steps, kept);
  metrics.seconds = only(metrics.seconds, kept);
  return metrics;
}

}  // namespace lightrun::report
