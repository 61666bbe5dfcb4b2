#pragma once

#include <lightrun/callback.hpp>

#include <functional>
#include <vector>

namespace lightrun::callbacks {

/// Logs the learning rates that a step is done with, or that an epoch begins with: `lr` of one optimizer,
/// `lr_0`, `lr_1` of several, each its first parameter group's; of one with several groups `lr/0`, `lr/1` (or
/// `lr_0/0`) beside it.
class LrMonitor : public Callback {
 public:
  struct Options {
    bool every_epoch = false;                                 ///< else with every step
    std::function<std::vector<std::vector<double>>()> rates;  ///< of each optimizer's parameter groups
  };

  explicit LrMonitor(Options options) : options_(std::move(options)) {}

  void on_train_epoch_start(Context& context) override;
  void on_train_batch_end(Context& context) override;

 private:
  void log_rates(Context& context) const;

  Options options_;
};

}  // namespace lightrun::callbacks
