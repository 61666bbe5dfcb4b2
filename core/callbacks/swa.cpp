#include "callbacks/swa.hpp"

#include <lightrun/module.hpp>

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lightrun::callbacks {

double annealed_rate(double from, double to, int64_t epochs, int64_t annealing_epochs, bool linear) {
  if (epochs >= annealing_epochs) return to;
  const double t = static_cast<double>(epochs) / static_cast<double>(annealing_epochs);
  const double share = linear ? t : (1 - std::cos(std::numbers::pi * t)) / 2;
  return from * (1 - share) + to * share;
}

void Swa::on_train_epoch_start(Context& context) {
  const int64_t epochs = context.epoch() - rule_.start;
  if (epochs < 0) return;
  if (first_rates_.empty()) first_rates_ = rule_.rates();
  std::vector<double> rates;
  for (const double first : first_rates_)
    rates.push_back(annealed_rate(first, rule_.rate, epochs, rule_.annealing_epochs, rule_.linear));
  rule_.set_rates(rates);
}

void Swa::on_train_epoch_end(Context& context) {
  if (context.epoch() < rule_.start || context.epoch_is_cut_short()) return;
  if (averaged_ == 0)
    averages_.begin(context.model());
  else
    averages_.move(context.model(), 1 / static_cast<double>(averaged_ + 1));
  ++averaged_;
}

void Swa::on_train_end(Context& context) {
  if (failed_) return;
  if (averaged_ == 0) {
    if (!context.info().run_dir.empty()) {
      spdlog::warn(
          "swa: the run ended before the end of epoch {}, where averaging begins: there is no "
          "averaged.safetensors",
          rule_.start + 1);  // as on the screen
    }
    return;
  }
  AverageInPlace in_place;
  in_place.put(averages_, context.model());
  rule_.write();
  in_place.give_back(context.model());
}

void Swa::save_state(StateDict& state) const {
  if (first_rates_.empty()) return;
  state.set("first_rates", first_rates_);
  state.set("averaged_epochs", averaged_);
  averages_.save(state);
}

void Swa::load_state(const StateDict& state) {
  first_rates_ = state.get<std::vector<double>>("first_rates");
  averaged_ = state.get<int64_t>("averaged_epochs");
  averages_.load(state);
}

}  // namespace lightrun::callbacks
