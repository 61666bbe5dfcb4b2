#pragma once

#include <lightrun/callback.hpp>

#include <chrono>
#include <string>

namespace lightrun::callbacks {

/// Asks the run to stop once `duration` seconds of training, with its validations, are over; those of the
/// processes before a resume count. Says in the log how many there were.
class Timer : public Callback {
 public:
  struct Rule {
    double duration = 0;       ///< seconds
    bool every_epoch = false;  ///< looks at the clock at ends of epochs only
  };

  explicit Timer(Rule rule) : rule_(rule) {}

  void on_train_start(Context& context) override;
  void on_train_batch_end(Context& context) override;
  void on_train_epoch_end(Context& context) override { look(context); }
  void on_train_end(Context& context) override;

  void save_state(StateDict& state) const override { state.set("seconds", seconds()); }
  void load_state(const StateDict& state) override { before_ = state.get<double>("seconds"); }
  [[nodiscard]] std::string state_key() const override { return "timer"; }

 private:
  using Clock = std::chrono::steady_clock;

  void look(Context& context) const;
  [[nodiscard]] double seconds() const;

  Rule rule_;
  double before_ = 0;  ///< seconds of earlier processes
  Clock::time_point started_ = Clock::now();
};

}  // namespace lightrun::callbacks
