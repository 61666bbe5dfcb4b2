#pragma once

#include "config/run_spec.hpp"

#include <lightrun/callback.hpp>

#include <optional>

namespace lightrun::callbacks {

/// Asks for checkpoints/best.ckpt after every validation that is better than all before, and for
/// checkpoints/last.ckpt at every epoch's end. NaN is never better.
class ModelCheckpoint : public Callback {
 public:
  /// @param must_exist whether a metric called `monitor` must be there after a validation: RunError if not
  ModelCheckpoint(config::ModelCheckpointSpec spec, bool must_exist) : spec_(std::move(spec)), must_exist_(must_exist) {}

  void on_validation_end(Context& context) override;
  void on_train_epoch_end(Context& context) override;

 private:
  config::ModelCheckpointSpec spec_;
  bool must_exist_;
  std::optional<double> best_;
};

}  // namespace lightrun::callbacks
