#pragma once

#include <lightrun/callback.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace lightrun::callbacks {

/// A callback that watches one metric. It sees each new value once: after every validation, or, of a metric
/// that an epoch's training gives, at the epoch's end. In a run without validation: at every epoch's end.
///
/// A metric that nobody has logged is warned about after the first batch, where it could be known, and is a
/// ConfigError at the end of the first epoch that should have given it.
class Monitor : public Callback {
 public:
  struct Options {
    std::string metric = "val_loss";  ///< "": none, and nothing is watched
    bool higher_is_better = false;
    bool must_exist = true;
    std::string origin = {};  ///< how a message about it begins: "a.yaml:3:5: callbacks.0.monitor: "
  };

  explicit Monitor(Options options) : options_(std::move(options)) {}

  void on_train_batch_end(Context& context) override;
  void on_validation_end(Context& context) override;
  void on_train_epoch_end(Context& context) override;

  void save_state(StateDict& state) const override;
  void load_state(const StateDict& state) override;

 protected:
  /// A new value of the metric; maybe NaN.
  virtual void consider(Context& context, double value) = 0;

  /// Whether `value` is better than `other` by more than `delta`. NaN never is.
  [[nodiscard]] bool better(double value, double other, double delta = 0) const;
  [[nodiscard]] const Options& monitored() const { return options_; }
  /// "early_stopping val_loss min": two that watch the same are told apart by their order.
  [[nodiscard]] std::string key_of(const std::string& type) const;

 private:
  void look(Context& context);

  Options options_;
  int64_t seen_ = 0;         ///< of the metric's values
  bool validated_ = false;   ///< a validation was held
  bool considered_ = false;  ///< a value was, in this epoch
  bool first_batch_ = true;
};

}  // namespace lightrun::callbacks
