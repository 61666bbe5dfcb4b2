#include "callbacks/model_checkpoint.hpp"

#include <lightrun/error.hpp>

#include <cmath>

namespace lightrun::callbacks {

void ModelCheckpoint::on_validation_end(Context& context) {
  const auto value = context.metric(spec_.monitor);
  if (!value) {
    if (!must_exist_) return;
    std::string names;
    for (const auto& [name, known] : context.metrics()) names += (names.empty() ? "" : ", ") + name;
    throw RunError("model_checkpoint: no metric '" + spec_.monitor + "' was logged; there are: " + names);
  }
  if (std::isnan(*value)) return;
  const bool better = !best_ || (spec_.mode == config::Mode::min ? *value < *best_ : *value > *best_);
  if (!better) return;
  best_ = value;
  context.request_save("best");
}

void ModelCheckpoint::on_train_epoch_end(Context& context) { context.request_save("last"); }

}  // namespace lightrun::callbacks
