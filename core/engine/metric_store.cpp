#include "engine/metric_store.hpp"

#include <lightrun/error.hpp>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace lightrun::engine {
namespace {

constexpr std::size_t kRecentWindows = 20;

std::string epoch_name(const std::string& name, bool on_step) {
  return on_step ? name + "_epoch" : name;
}

double reduced(Reduce reduce, const state::Accumulated& values) {
  switch (reduce) {
    case Reduce::mean:
      return values.weighted_sum / values.weight;
    case Reduce::sum:
      return values.sum;
    case Reduce::min:
      return values.min;
    case Reduce::max:
      return values.max;
  }
  return 0;
}

}  // namespace

void MetricStore::begin_batch(Scope scope, int64_t samples) {
  scope_ = scope;
  samples_ = static_cast<double>(samples);
  window_loss_before_ = state_.window_loss;
  ++batch_;
}

std::size_t MetricStore::find_or_add(std::string_view name, const LogOptions& options) {
  auto& known = state_.scopes[scope()];
  const auto found = std::ranges::find_if(known, [&](const auto& metric) { return metric.name == name; });
  if (found != known.end()) return static_cast<std::size_t>(found - known.begin());
  const bool on_step =
      options.on_step.value_or(scope_ == Scope::training && !options.on_epoch.value_or(false));
  const bool on_epoch = options.on_epoch.value_or(!on_step || scope_ == Scope::validation);
  known.push_back({.name = std::string(name),
                   .reduce = options.reduce,
                   .on_step = on_step,
                   .on_epoch = on_epoch,
                   .prog_bar = options.prog_bar});
  in_batch_[scope()].resize(known.size());
  return known.size() - 1;
}

/// What the metric has had in the batch at hand, begun where it has had nothing yet.
MetricStore::InBatch& MetricStore::in_batch(std::size_t metric) {
  InBatch& in_batch = in_batch_[scope()][metric];
  if (in_batch.batch != batch_)
    in_batch = {.batch = batch_,
                .is_models = false,
                .value = {},
                .epoch_before = state_.scopes[scope()][metric].epoch};
  return in_batch;
}

void MetricStore::add(std::size_t i, double value, const LogOptions& options) {
  state::Metric& metric = state_.scopes[scope()][i];
  InBatch& now = in_batch(i);
  if (metric.on_step) {
    now.value = value;
    if (scope_ == Scope::training) publish(metric.name, value, metric.prog_bar);
  }
  if (!metric.on_epoch) return;
  if (metric.epoch.count == 0) metric.reduce = options.reduce;
  metric.epoch.add(value, samples_);
}

void MetricStore::log(std::string_view name, double value, const LogOptions& options) {
  const std::size_t i = find_or_add(name, options);
  in_batch(i).is_models = true;
  add(i, value, options);
}

void MetricStore::log(std::string_view name, const torch::Tensor& value, const LogOptions& options) {
  if (!value.defined() || value.numel() != 1) {
    throw RunError("log(\"" + std::string(name) + "\"): a metric is one number, not a tensor of shape " +
                   (value.defined() ? c10::str(value.sizes()) : "(undefined)"));
  }
  log(name, value.item<double>(), options);
}

void MetricStore::log_loss(const std::string& name, double loss) {
  const LogOptions options = {.on_step = true, .on_epoch = true};
  const std::size_t i = find_or_add(name, options);
  if (!in_batch(i).is_models) add(i, loss, options);
  state_.window_loss.add(loss, 1);
}

void MetricStore::close_window() {
  if (state_.window_loss.count == 0) return;
  auto& recent = state_.recent_losses;
  recent.push_back(reduced(Reduce::mean, state_.window_loss));
  if (recent.size() > kRecentWindows) recent.pop_front();
  state_.window_loss = {};
  state_.progress_bar["loss"] =
      std::accumulate(recent.begin(), recent.end(), 0.0) / static_cast<double>(recent.size());
}

int64_t MetricStore::times_published(std::string_view name) const {
  const auto found = state_.times_published.find(name);
  return found == state_.times_published.end() ? 0 : found->second;
}

std::vector<std::string> MetricStore::names() const {
  std::set<std::string> names;
  for (const auto& [name, value] : state_.latest) names.insert(name);
  for (const auto& scope : state_.scopes) {
    for (const state::Metric& metric : scope) {
      if (metric.on_step || !metric.on_epoch) names.insert(metric.name);
      if (metric.on_epoch) names.insert(epoch_name(metric.name, metric.on_step));
    }
  }
  return {names.begin(), names.end()};
}

Metrics MetricStore::step_values() const {
  Metrics values;
  for (std::size_t i = 0; i < in_batch_[scope()].size(); ++i) {
    const InBatch& now = in_batch_[scope()][i];
    if (now.batch == batch_ && now.value) values[state_.scopes[scope()][i].name] = *now.value;
  }
  return values;
}

Metrics MetricStore::end_epoch(Scope scope, bool publish_values) {
  Metrics values;
  for (state::Metric& metric : state_.scopes[static_cast<std::size_t>(scope)]) {
    if (metric.epoch.count == 0) continue;
    const std::string name = epoch_name(metric.name, metric.on_step);
    values[name] = reduced(metric.reduce, metric.epoch);
    metric.epoch = {};
    if (publish_values) publish(name, values[name], metric.prog_bar && !metric.on_step);
  }
  return values;
}

void MetricStore::forget_batch() {
  for (std::size_t scope = 0; scope < in_batch_.size(); ++scope) {
    for (std::size_t i = 0; i < in_batch_[scope].size(); ++i) {
      const InBatch& now = in_batch_[scope][i];
      if (now.batch == batch_) state_.scopes[scope][i].epoch = now.epoch_before;
    }
  }
  state_.window_loss = window_loss_before_;
}

void MetricStore::restore(state::MetricState state) {
  state_ = std::move(state);
  for (std::size_t scope = 0; scope < in_batch_.size(); ++scope)
    in_batch_[scope].assign(state_.scopes[scope].size(), {});
}

void MetricStore::publish(const std::string& name, double value, bool prog_bar) {
  state_.latest[name] = value;
  ++state_.times_published[name];
  if (prog_bar) state_.progress_bar[name] = value;
}

}  // namespace lightrun::engine
