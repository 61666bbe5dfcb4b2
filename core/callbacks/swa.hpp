#pragma once

#include "callbacks/averages.hpp"

#include <lightrun/callback.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lightrun::callbacks {

/// Stochastic weight averaging (Izmailov et al. 2018; PyTorch's torch.optim.swa_utils, Lightning's
/// StochasticWeightAveraging): from epoch `start` on the rates go to `rate` and stay there, and the weights
/// after each epoch enter a mean. Training goes on with the trained weights, which checkpoints hold, the mean
/// as this callback's state. An epoch that is cut short does not count.
class Swa : public Callback {
 public:
  struct Rule {
    int64_t start = 0;  ///< epoch, from 0
    double rate = 0;
    int64_t annealing_epochs = 10;                              ///< 0: at once
    bool linear = false;                                        ///< else along a cosine
    std::function<std::vector<double>()> rates;                 ///< of all parameter groups
    std::function<void(const std::vector<double>&)> set_rates;  ///< schedules rest from then on
    /// Takes the mean, in the model, at the run's end, and may change the model's buffers for it.
    std::function<void()> write;
  };

  explicit Swa(Rule rule) : rule_(std::move(rule)) {}

  void on_train_epoch_start(Context& context) override;
  void on_train_epoch_end(Context& context) override;
  void on_exception(Context& /*context*/) override { failed_ = true; }
  void on_train_end(Context& context) override;

  void save_state(StateDict& state) const override;
  void load_state(const StateDict& state) override;
  [[nodiscard]] std::string state_key() const override { return "swa"; }

 private:
  Rule rule_;
  std::vector<double> first_rates_;  ///< where the annealing begins; empty before
  Averages averages_;
  int64_t averaged_ = 0;  ///< epochs
  bool failed_ = false;
};

/// The rate `epochs` after the annealing to `to` has begun: from * (1 - a) + to * a, with a = t (linear) or
/// (1 - cos(pi t)) / 2, t = epochs / annealing_epochs, at most 1. As PyTorch's SWALR.
[[nodiscard]] double annealed_rate(double from, double to, int64_t epochs, int64_t annealing_epochs,
                                   bool linear);

}  // namespace lightrun::callbacks
