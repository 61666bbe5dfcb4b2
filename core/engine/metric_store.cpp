#include "engine/metric_store.hpp"

#include <lightrun/error.hpp>

#include <algorithm>
#include <numeric>
#include <set>

namespace lightrun::engine {
namespace {

constexpr std::size_t kRecentWindows = 20;

std::string epoch_name(const std::string& name, bool on_step) {
  return on_step ? name + "_epoch" : name;
}

}  // namespace

void Accumulator::add(double value, double weight) {
  weighted_sum_ += value * weight;
  weight_ += weight;
  sum_ += value;
  min_ = count_ == 0 ? value : std::min(min_, value);
  max_ = count_ == 0 ? value : std::max(max_, value);
  ++count_;
}

double Accumulator::value() const {
  switch (reduce_) {
    case Reduce::mean:
      return weighted_sum_ / weight_;
    case Reduce::sum:
      return sum_;
    case Reduce::min:
      return min_;
    case Reduce::max:
      return max_;
  }
  return 0;
}

void MetricStore::begin_batch(Scope scope, int64_t samples) {
  scope_ = scope;
  samples_ = static_cast<double>(samples);
  ++batch_;
}

MetricStore::Metric& MetricStore::find_or_add(std::string_view name, const LogOptions& options) {
  auto& known = metrics();
  const auto found =
      std::ranges::find(known, name, [](const Metric& metric) -> std::string_view { return metric.name; });
  if (found != known.end()) return *found;
  const bool on_step =
      options.on_step.value_or(scope_ == Scope::training && !options.on_epoch.value_or(false));
  const bool on_epoch = options.on_epoch.value_or(!on_step || scope_ == Scope::validation);
  known.push_back({.name = std::string(name),
                   .on_step = on_step,
                   .on_epoch = on_epoch,
                   .prog_bar = options.prog_bar,
                   .epoch = Accumulator(options.reduce)});
  return known.back();
}

void MetricStore::log(std::string_view name, double value, const LogOptions& options) {
  Metric& metric = find_or_add(name, options);
  if (metric.on_step) {
    metric.step_value = value;
    metric.step_value_of = batch_;
    if (scope_ == Scope::training) publish(metric.name, value, metric.prog_bar);
  }
  if (metric.on_epoch) {
    if (!metric.has_epoch_value) metric.epoch = Accumulator(options.reduce);
    metric.has_epoch_value = true;
    metric.epoch.add(value, samples_);
  }
}

void MetricStore::log(std::string_view name, const torch::Tensor& value, const LogOptions& options) {
  if (!value.defined() || value.numel() != 1) {
    throw RunError("log(\"" + std::string(name) + "\"): a metric is one number, not a tensor of shape " +
                   (value.defined() ? c10::str(value.sizes()) : "(undefined)"));
  }
  log(name, value.item<double>(), options);
}

void MetricStore::log_loss(const std::string& name, double loss) {
  const auto& known = metrics();
  const bool logged_by_model = std::ranges::any_of(
      known, [&](const Metric& metric) { return metric.name == name && metric.step_value_of == batch_; });
  if (!logged_by_model) log(name, loss, {.on_step = true, .on_epoch = true});

  window_loss_.add(loss, 1);
}

void MetricStore::close_window() {
  if (window_loss_.empty()) return;
  recent_losses_.push_back(window_loss_.value());
  if (recent_losses_.size() > kRecentWindows) recent_losses_.pop_front();
  window_loss_ = Accumulator(Reduce::mean);
  progress_bar_["loss"] = std::accumulate(recent_losses_.begin(), recent_losses_.end(), 0.0) /
                          static_cast<double>(recent_losses_.size());
}

int64_t MetricStore::times_published(std::string_view name) const {
  const auto found = times_published_.find(name);
  return found == times_published_.end() ? 0 : found->second;
}

std::vector<std::string> MetricStore::names() const {
  std::set<std::string> names;
  for (const auto& [name, value] : latest_) names.insert(name);
  for (const auto& scope : scopes_) {
    for (const Metric& metric : scope) {
      if (metric.on_step || !metric.on_epoch) names.insert(metric.name);
      if (metric.on_epoch) names.insert(epoch_name(metric.name, metric.on_step));
    }
  }
  return {names.begin(), names.end()};
}

Metrics MetricStore::step_values() const {
  Metrics values;
  for (const Metric& metric : metrics()) {
    if (metric.step_value_of == batch_) values[metric.name] = metric.step_value;
  }
  return values;
}

Metrics MetricStore::end_epoch(Scope scope, bool publish_values) {
  Metrics values;
  for (Metric& metric : scopes_[static_cast<std::size_t>(scope)]) {
    if (!metric.has_epoch_value) continue;
    const std::string name = epoch_name(metric.name, metric.on_step);
    values[name] = metric.epoch.value();
    metric.has_epoch_value = false;
    if (publish_values) publish(name, values[name], metric.prog_bar && !metric.on_step);
  }
  return values;
}

void MetricStore::publish(const std::string& name, double value, bool prog_bar) {
  latest_[name] = value;
  ++times_published_[name];
  if (prog_bar) progress_bar_[name] = value;
}

}  // namespace lightrun::engine
