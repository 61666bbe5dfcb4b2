#include "callbacks/monitor.hpp"

#include "support/metric_names.hpp"

#include <lightrun/error.hpp>

#include <spdlog/spdlog.h>

#include <algorithm>

namespace lightrun::callbacks {

void Monitor::on_train_batch_end(Context& context) {
  if (!std::exchange(first_batch_, false) || !options_.must_exist || options_.metric.empty()) return;
  const bool validation_was_tried = context.info().val_batches == 0 || context.info().sanity_batches > 0;
  const auto known = context.metric_names();
  if (!validation_was_tried || std::ranges::find(known, options_.metric) != known.end()) return;
  spdlog::warn("{}{} so far; if it stays so, the run ends with an error after this epoch", options_.origin,
               support::missing_metric(options_.metric, known));
}

void Monitor::on_validation_end(Context& context) {
  validated_ = validated_ || !context.interrupted();
  look(context);
}

void Monitor::on_train_epoch_end(Context& context) {
  if (context.stage() == Stage::ending || context.epoch_is_cut_short()) return;
  if (!considered_) look(context);
  considered_ = false;
  const bool should_be_there = validated_ || context.info().val_batches == 0;
  if (seen_ > 0 || !should_be_there || !options_.must_exist || options_.metric.empty()) return;
  throw ConfigError(options_.origin + support::missing_metric(options_.metric, context.metric_names()));
}

void Monitor::look(Context& context) {
  const int64_t updates = context.metric_updates(options_.metric);
  if (updates == seen_) return;
  seen_ = updates;
  considered_ = true;
  consider(context, *context.metric(options_.metric));
}

bool Monitor::better(double value, double other, double delta) const {
  return options_.higher_is_better ? value > other + delta : value < other - delta;
}

std::string Monitor::key_of(const std::string& type) const {
  if (options_.metric.empty()) return type;
  return type + " " + options_.metric + (options_.higher_is_better ? " max" : " min");
}

void Monitor::save_state(StateDict& state) const {
  state.set("seen", seen_);
  state.set("validated", validated_);
  state.set("considered", considered_);
  state.set("first_batch", first_batch_);
}

void Monitor::load_state(const StateDict& state) {
  seen_ = state.get<int64_t>("seen");
  validated_ = state.get<bool>("validated");
  considered_ = state.get<bool>("considered");
  first_batch_ = state.get<bool>("first_batch");
}

}  // namespace lightrun::callbacks
