#include "callbacks/ema.hpp"

#include <lightrun/module.hpp>

#include <spdlog/spdlog.h>

namespace lightrun::callbacks {

void Ema::update(Context& context) {
  const int64_t steps = context.steps_done();
  if (!averages_.begun()) {
    if (steps < rule_.start_step) return;
    averages_.begin(context.model());
    begun_at_ = seen_ = steps;
    return;
  }
  const auto updates_at = [&](int64_t step) { return (step - begun_at_) / rule_.every_n_steps; };
  const bool is_due = updates_at(steps) > updates_at(seen_);
  seen_ = steps;
  if (is_due) averages_.move(context.model(), 1 - rule_.decay);
}

void Ema::on_validation_start(Context& context) {
  if (averages_.begun()) in_place_.put(averages_, context.model());
}

void Ema::give_back(Context& context) {
  if (in_place_.is_in()) in_place_.give_back(context.model());
}

void Ema::on_train_end(Context& context) {
  if (!rule_.write || failed_) return;
  if (!averages_.begun()) {
    if (!context.info().run_dir.empty()) {
      spdlog::warn(
          "ema: the run ended before step {}, where averaging begins: there is no averaged.safetensors",
          rule_.start_step);
    }
    return;
  }
  in_place_.put(averages_, context.model());
  rule_.write();
  give_back(context);
}

void Ema::save_state(StateDict& state) const {
  if (!averages_.begun()) return;
  averages_.save(state);
  state.set("begun_at", begun_at_);
  state.set("seen", seen_);
}

void Ema::load_state(const StateDict& state) {
  averages_.load(state);
  begun_at_ = state.get<int64_t>("begun_at");
  seen_ = state.get<int64_t>("seen");
}

}  // namespace lightrun::callbacks
