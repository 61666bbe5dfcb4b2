#pragma once

#include <lightrun/log_options.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace lightrun::state {

/// A metric's values since its last reduction.
struct Accumulated {
  int64_t count = 0;
  double weighted_sum = 0;
  double weight = 0;
  double sum = 0;
  double min = 0;
  double max = 0;

  void add(double value, double weight_of_value) {
    weighted_sum += value * weight_of_value;
    weight += weight_of_value;
    sum += value;
    min = count == 0 ? value : std::min(min, value);
    max = count == 0 ? value : std::max(max, value);
    ++count;
  }
};

/// One metric of training, or of validation.
struct Metric {
  std::string name;
  Reduce reduce = Reduce::mean;
  bool on_step = false;
  bool on_epoch = false;
  bool prog_bar = false;
  Accumulated epoch = {};  ///< count 0: nothing since the last reduction
};

using MetricValues = std::map<std::string, double, std::less<>>;

/// All that is known of a run's metrics between two batches.
struct MetricState {
  std::array<std::vector<Metric>, 2> scopes;  ///< of training, of validation
  MetricValues latest;
  MetricValues progress_bar;
  std::map<std::string, int64_t, std::less<>> times_published;
  Accumulated window_loss;           ///< of the open accumulation window
  std::deque<double> recent_losses;  ///< of the last windows
};

template <typename Visit>
void for_each_field(Accumulated& accumulated, Visit&& visit) {
  visit("count", accumulated.count);
  visit("weighted_sum", accumulated.weighted_sum);
  visit("weight", accumulated.weight);
  visit("sum", accumulated.sum);
  visit("min", accumulated.min);
  visit("max", accumulated.max);
}

template <typename Visit>
void for_each_field(Metric& metric, Visit&& visit) {
  visit("name", metric.name);
  visit("reduce", metric.reduce);
  visit("on_step", metric.on_step);
  visit("on_epoch", metric.on_epoch);
  visit("prog_bar", metric.prog_bar);
  visit("epoch", metric.epoch);
}

template <typename Visit>
void for_each_field(MetricState& metrics, Visit&& visit) {
  visit("scopes", metrics.scopes);
  visit("latest", metrics.latest);
  visit("progress_bar", metrics.progress_bar);
  visit("times_published", metrics.times_published);
  visit("window_loss", metrics.window_loss);
  visit("recent_losses", metrics.recent_losses);
}

}  // namespace lightrun::state
