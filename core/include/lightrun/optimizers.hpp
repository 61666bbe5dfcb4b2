#pragma once

#include <lightrun/export.hpp>

#include <torch/optim/optimizer.h>

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lightrun {

/// Lowers the rate when a metric no longer becomes better. PyTorch's ReduceLROnPlateau, with its defaults.
struct ReduceOnPlateau {
  std::string monitor = "val_loss";
  bool higher_is_better = false;
  double factor = 0.1;
  int64_t patience = 10;    ///< values that are no better which are endured; the next one lowers the rate
  double threshold = 1e-4;  ///< a value is better only if it is so by more than this share of the best value
  bool relative = true;     ///< false: by more than this amount
  int64_t cooldown = 0;     ///< values after a change that do not count
  double min_lr = 0;
  double eps = 1e-8;  ///< a smaller change is not made
};

/// A learning rate as a pure function of how often the schedule has advanced.
struct LrSchedule {
  enum class Interval { step, epoch };

  /// The rate after `count` advances (from 0), for a parameter group whose own rate is `base_lr`. May be left
  /// out where there is a plateau.
  std::function<double(double base_lr, int64_t count)> rate = {};
  /// Advances only when its metric has a new value; the rate it has come to is the `base_lr` of `rate`.
  std::optional<ReduceOnPlateau> plateau = {};
  Interval interval = Interval::epoch;  ///< advances at optimizer steps, or at ends of epochs
  int64_t frequency = 1;                ///< ... at every n-th of them
};

/// One optimizer, its schedule and its turn.
struct OptimizerSetup {
  std::unique_ptr<torch::optim::Optimizer> optimizer = {};
  std::optional<LrSchedule> schedule = {};
  /// With several optimizers: this one trains for `frequency` batches, then the next has its turn. 0 for all
  /// of them: every optimizer trains on every batch.
  int64_t frequency = 0;
  /// Its step() calls the closure it is given; LibTorch's LBFGS is known to.
  bool evaluates_loss = false;
};

/// What configure_optimizers answers: none (the config's `optimizer:` is used), one, or several.
class LIGHTRUN_API Optimizers {
 public:
  Optimizers() = default;
  // Implicit on purpose: `return std::make_unique<torch::optim::Adam>(parameters(), options);`
  template <std::derived_from<torch::optim::Optimizer> T>
  Optimizers(std::unique_ptr<T> optimizer) {
    add({.optimizer = std::move(optimizer)});
  }

  Optimizers& add(OptimizerSetup setup) {
    setups_.push_back(std::move(setup));
    return *this;
  }

  [[nodiscard]] bool empty() const { return setups_.empty(); }
  [[nodiscard]] std::vector<OptimizerSetup>& setups() { return setups_; }

 private:
  std::vector<OptimizerSetup> setups_;
};

}  // namespace lightrun
