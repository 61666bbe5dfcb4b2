#pragma once

#include <lightrun/callback.hpp>

#include <optional>
#include <string>
#include <utility>

namespace lightrun::callbacks {

/// Asks for checkpoints/best.ckpt after every validation that is better than all before, and for
/// checkpoints/last.ckpt at every epoch's end. NaN is never better.
class ModelCheckpoint : public Callback {
 public:
  struct Options {
    std::string monitor = "val_loss";
    bool higher_is_better = false;
    bool must_exist = true;  ///< RunError where no metric of that name is there after a validation
  };

  explicit ModelCheckpoint(Options options) : options_(std::move(options)) {}

  void on_validation_end(Context& context) override;
  void on_train_epoch_end(Context& context) override;

 private:
  Options options_;
  std::optional<double> best_;
};

}  // namespace lightrun::callbacks
