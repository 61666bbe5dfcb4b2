#pragma once

#include "callbacks/averages.hpp"

#include <lightrun/callback.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace lightrun::callbacks {

/// An exponential moving average of the weights: average = decay * average + (1 - decay) * weights, from what
/// the weights are after `start_step` optimizer steps (as timm's ModelEmaV2 begins with the model's own;
/// PyTorch's swa_utils.get_ema_multi_avg_fn has the same formula). It is in the model during validations, the
/// trained weights at all other times: checkpoints hold those, and the average as this callback's state.
class Ema : public Callback {
 public:
  struct Rule {
    double decay = 0.999;
    int64_t every_n_steps = 1;  ///< counted from start_step
    int64_t start_step = 0;
    /// Takes the averaged weights, in the model, at the run's end; may be empty.
    std::function<void()> write = {};
  };

  explicit Ema(Rule rule) : rule_(std::move(rule)) {}

  void on_train_start(Context& context) override { update(context); }
  void on_train_batch_end(Context& context) override { update(context); }
  /// A window that is closed between batches ends in a step, too.
  void on_train_epoch_end(Context& context) override { update(context); }
  void on_validation_start(Context& context) override;
  void on_validation_end(Context& context) override { give_back(context); }
  /// Comes within a validation only where an exception has ended it: the trained weights are what to save.
  void on_save_checkpoint(Context& context) override { give_back(context); }
  void on_exception(Context& /*context*/) override { failed_ = true; }
  void on_train_end(Context& context) override;

  void save_state(StateDict& state) const override;
  void load_state(const StateDict& state) override;
  [[nodiscard]] std::string state_key() const override { return "ema"; }

 private:
  void update(Context& context);
  void give_back(Context& context);

  Rule rule_;
  Averages averages_;
  AverageInPlace in_place_;
  int64_t begun_at_ = 0;  ///< optimizer steps
  int64_t seen_ = 0;      ///< optimizer steps
  bool failed_ = false;
};

}  // namespace lightrun::callbacks
