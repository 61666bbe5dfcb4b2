#include "engine/metric_store.hpp"

#include <lightrun/error.hpp>

#include <algorithm>
#include <numeric>

namespace lightrun::engine {
namespace {

constexpr std::size_t kRecentLosses = 20;

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
  const bool on_epoch = options.on_epoch.value_or(!on_step);
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

  if (recent_losses_.size() < kRecentLosses) recent_losses_.resize(recent_losses_.size() + 1);
  recent_losses_[next_recent_++ % kRecentLosses] = loss;
  progress_bar_["loss"] = std::accumulate(recent_losses_.begin(), recent_losses_.end(), 0.0) /
                          static_cast<double>(recent_losses_.size());
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
  if (prog_bar) progress_bar_[name] = value;
}

}  // namespace lightrun::engine
