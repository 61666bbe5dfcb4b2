#include "callbacks/model_checkpoint.hpp"

#include <lightrun/error.hpp>

#include <cmath>

namespace lightrun::callbacks {

void ModelCheckpoint::on_validation_end(Context& context) {
  const auto value = context.metric(options_.monitor);
  if (!value) {
    if (!options_.must_exist) return;
    std::string names;
    for (const auto& [name, known] : context.metrics()) names += (names.empty() ? "" : ", ") + name;
    throw RunError("model_checkpoint: no metric '" + options_.monitor + "' was logged; there are: " + names);
  }
  if (std::isnan(*value)) return;
  const bool better = !best_ || (options_.higher_is_better ? *value > *best_ : *value < *best_);
  if (!better) return;
  best_ = value;
  context.request_save("best");
}

void ModelCheckpoint::on_train_epoch_end(Context& context) {
  context.request_save("last");
}

}  // namespace lightrun::callbacks
