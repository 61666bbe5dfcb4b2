#include "callbacks/model_checkpoint.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>

namespace lightrun::callbacks {

ModelCheckpoint::ModelCheckpoint(Options options, Rule rule)
    : Monitor(std::move(options)), rule_(std::move(rule)) {}

void ModelCheckpoint::on_train_start(Context& /*context*/) {
  last_time_ = Clock::now();
}

void ModelCheckpoint::on_train_batch_end(Context& context) {
  Monitor::on_train_batch_end(context);
  bool is_due = rule_.every && Clock::now() - last_time_ >= *rule_.every;
  if (rule_.every_n_train_steps) {
    const int64_t intervals = context.steps_done() / *rule_.every_n_train_steps;
    is_due = is_due || intervals > step_intervals_;
    step_intervals_ = intervals;
  }
  if (is_due) save_at_interval(context);
}

void ModelCheckpoint::on_train_epoch_end(Context& context) {
  Monitor::on_train_epoch_end(context);
  if (context.epoch_is_cut_short() || rule_.every_n_epochs == 0) return;
  if ((context.epoch() + 1) % rule_.every_n_epochs == 0) save_at_interval(context);
}

void ModelCheckpoint::save_at_interval(Context& context) {
  last_time_ = Clock::now();
  if (monitored().metric.empty() && rule_.save_top_k != 0) keep(context, static_cast<double>(made_));
  if (rule_.save_last) context.request_save("last", dropped_);
}

void ModelCheckpoint::consider(Context& context, double value) {
  if (std::isnan(value)) {
    spdlog::warn("model_checkpoint: {} is nan in epoch {} (from 0), which is never the best",
                 monitored().metric, context.epoch());
    return;
  }
  if (rule_.every_n_epochs > 1 && (context.epoch() + 1) % rule_.every_n_epochs != 0) return;
  if (rule_.save_top_k == 0) return;
  const bool has_room = rule_.save_top_k < 0 || std::ssize(kept_) < rule_.save_top_k;
  if (has_room || is_better(value, worst()->value)) keep(context, value);
}

/// Without a metric the newer one is.
bool ModelCheckpoint::is_better(double value, double other) const {
  return monitored().metric.empty() ? value > other : better(value, other);
}

/// Of equal ones the latest.
std::vector<ModelCheckpoint::Kept>::const_iterator ModelCheckpoint::worst() const {
  return std::ranges::max_element(
      kept_, [this](const Kept& a, const Kept& b) { return !is_better(b.value, a.value); });
}

void ModelCheckpoint::keep(Context& context, double value) {
  ++made_;
  dropped_.clear();
  if (rule_.save_top_k > 0 && std::ssize(kept_) >= rule_.save_top_k) {
    const auto least = worst();
    dropped_.push_back(least->name);
    kept_.erase(least);
  }
  kept_.push_back({free_name(rule_.file_name(context)), value});
  std::erase(dropped_, kept_.back().name);
  context.request_save(kept_.back().name, dropped_);
}

/// A file that is kept is not written over by another one that has the same name.
std::string ModelCheckpoint::free_name(const std::string& wanted) const {
  std::string name = wanted;
  const auto is_taken = [this](const std::string& each) {
    return std::ranges::find(kept_, each, &Kept::name) != kept_.end() || rule_.is_foreign(each);
  };
  for (int version = 1; is_taken(name); ++version) name = wanted + "-v" + std::to_string(version);
  return name;
}

void ModelCheckpoint::save_state(StateDict& state) const {
  Monitor::save_state(state);
  std::vector<std::string> names;
  std::vector<double> values;
  for (const auto& [name, value] : kept_) {
    names.push_back(name);
    values.push_back(value);
  }
  if (!kept_.empty()) {
    const auto best = std::ranges::min_element(
        kept_, [this](const Kept& a, const Kept& b) { return is_better(a.value, b.value); });
    state.set("best_file", best->name + ".ckpt");
    state.set("best_value", best->value);
  }
  state.set("kept", std::move(names));
  state.set("values", std::move(values));
  state.set("dropped", dropped_);
  state.set("made", made_);
  state.set("step_intervals", step_intervals_);
}

void ModelCheckpoint::load_state(const StateDict& state) {
  Monitor::load_state(state);
  const auto& names = state.get<std::vector<std::string>>("kept");
  const auto& values = state.get<std::vector<double>>("values");
  kept_.clear();
  for (std::size_t i = 0; i < std::min(names.size(), values.size()); ++i)
    kept_.push_back({names[i], values[i]});
  dropped_ = state.get<std::vector<std::string>>("dropped");
  made_ = state.get<int64_t>("made");
  step_intervals_ = state.get<int64_t>("step_intervals");
}

}  // namespace lightrun::callbacks
