#include "callbacks/freeze.hpp"

#include <lightrun/module.hpp>

#include <algorithm>

namespace lightrun::callbacks {

void Freeze::on_pretrain_routine_start(Context& context) {
  Module& model = context.model();
  const auto parameters = model.named_parameters();
  std::erase_if(rule_.parameters, [&](const std::string& name) {
    const torch::Tensor* parameter = parameters.find(name);
    return parameter == nullptr || !parameter->requires_grad();
  });
  const auto modules = model.named_modules();
  std::erase_if(rule_.norms, [&](const std::string& name) {
    const auto* norm = modules.find(name);
    return norm == nullptr || !(*norm)->is_training();
  });
  set_frozen(model, true);
}

void Freeze::on_train_epoch_start(Context& context) {
  const bool frozen = !rule_.until_epoch || context.epoch() < *rule_.until_epoch;
  if (frozen || is_frozen_) set_frozen(context.model(), frozen);
  is_frozen_ = frozen;
}

void Freeze::set_frozen(Module& model, bool frozen) const {
  auto parameters = model.named_parameters();
  for (const std::string& name : rule_.parameters) parameters[name].set_requires_grad(!frozen);
  auto modules = model.named_modules();
  for (const std::string& name : rule_.norms) modules[name]->train(!frozen);
}

void Freeze::save_state(StateDict& state) const {
  state.set("frozen", is_frozen_);
}

void Freeze::load_state(const StateDict& state) {
  is_frozen_ = state.get<bool>("frozen");
}

}  // namespace lightrun::callbacks
