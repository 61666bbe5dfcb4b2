#pragma once

#include "callbacks/monitor.hpp"

namespace lightrun::callbacks {

/// Asks for best.ckpt whenever its metric is better than ever before, and for last.ckpt at every epoch's end.
/// NaN is never better, and is warned about.
class ModelCheckpoint : public Monitor {
 public:
  using Monitor::Monitor;

  void on_train_epoch_end(Context& context) override;

 private:
  void consider(Context& context, double value) override;

  std::optional<double> best_;
};

}  // namespace lightrun::callbacks
