#pragma once

#include "callbacks/monitor.hpp"

namespace lightrun::callbacks {

/// Asks the run to stop when its metric has not become better for `patience` values in a row. A NaN is no
/// better than anything.
class EarlyStopping : public Monitor {
 public:
  struct Rule {
    int64_t patience = 3;  ///< 0 is as 1: the first value that is no better stops
    double min_delta = 0;  ///< a value is better only if it is so by more than this
    bool check_finite = false;
    std::optional<double> stopping_threshold = {};
    std::optional<double> divergence_threshold = {};
  };

  EarlyStopping(Options options, Rule rule) : Monitor(std::move(options)), rule_(rule) {}

  /// A resumed run that had come to its stop stops again, unless the rule has been changed.
  void on_train_start(Context& context) override;

  void save_state(StateDict& state) const override;
  void load_state(const StateDict& state) override;
  [[nodiscard]] std::string state_key() const override { return key_of("early_stopping"); }

 private:
  void consider(Context& context, double value) override;
  /// Why to stop at once, if so.
  [[nodiscard]] std::optional<std::string> limit_passed(double value) const;

  Rule rule_;
  /// Asks for the stop, if what was seen so far asks for it.
  void judge(Context& context);

  std::optional<double> last_;  ///< value
  std::optional<double> best_;
  int64_t waited_ = 0;
};

}  // namespace lightrun::callbacks
