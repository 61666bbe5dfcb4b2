#pragma once

#include <lightrun/export.hpp>

#include <torch/optim/optimizer.h>

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace lightrun {

/// A learning rate as a pure function of how often the schedule has advanced.
struct LrSchedule {
  enum class Interval { step, epoch };

  /// The rate after `count` advances (from 0), for a parameter group whose own rate is `base_lr`.
  std::function<double(double base_lr, int64_t count)> rate = {};
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
