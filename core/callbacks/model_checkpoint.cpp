#include "callbacks/model_checkpoint.hpp"

#include <spdlog/spdlog.h>

#include <cmath>

namespace lightrun::callbacks {

void ModelCheckpoint::consider(Context& context, double value) {
  if (std::isnan(value)) {
    spdlog::warn("model_checkpoint: {} is nan in epoch {} (from 0), which is never the best",
                 monitored().metric, context.epoch());
    return;
  }
  if (best_ && !better(value, *best_)) return;
  best_ = value;
  context.request_save("best");
}

void ModelCheckpoint::on_train_epoch_end(Context& context) {
  Monitor::on_train_epoch_end(context);
  context.request_save("last");
}

}  // namespace lightrun::callbacks
