#include "engine/instant.hpp"

#include "engine/environment.hpp"
#include "engine/generators.hpp"
#include "engine/make_loggers.hpp"
#include "state/weights.hpp"

#include <optional>

namespace lightrun::engine {
namespace {

constexpr const char* kZero = "zero";

/// Every step clears the gradients after itself, unless the model does that in its own way.
bool gradients_are_cleared(const Run& run) {
  return run.state.window.batches == 0 && !run.model->overrides().contains(Event::optimizer_zero_grad);
}

void add_gradient(const std::string& name, const torch::Tensor& gradient, bool is_zero,
                  StateDict& gradients) {
  if (!gradient.defined()) return;
  if (is_zero)
    gradients.set(name, kZero);
  else
    gradients.set(name, gradient.is_sparse() ? gradient.to_dense() : gradient);
}

StateDict gradients_of(const Run& run) {
  StateDict gradients;
  const bool are_zero = gradients_are_cleared(run);
  for (const auto& item : run.model->named_parameters())
    add_gradient(item.key(), item.value().grad(), are_zero, gradients);
  return gradients;
}

std::vector<StateDict> own_gradients_of(const Run& run) {
  const bool are_zero = gradients_are_cleared(run);
  std::vector<StateDict> all;
  for (const auto& active : run.optimizers) {
    auto& gradients = all.emplace_back();
    for (std::size_t i = 0; i < active.own_gradients.size(); ++i)
      add_gradient(active.shared[i].first, active.own_gradients[i], are_zero, gradients);
  }
  return all;
}

optim::OptimizerState state_of(ActiveOptimizer& active) {
  std::optional<optim::FlatParameters::StateApart> apart;
  if (active.flat) apart.emplace(*active.flat);
  auto state = optim::state_of(*active.setup.optimizer, active.named_parameters);
  for (std::size_t i = 0; i < state.groups.size(); ++i)
    state.groups[i].options.set(kBaseRate, active.base_rates[i]);
  return state;
}

/// Parameters that an optimizer has and the model does not.
StateDict outsiders_of(const Run& run) {
  StateDict outsiders;
  for (const auto& active : run.optimizers) {
    for (const auto& [name, parameter] : active.named_parameters)
      if (is_outside(name)) outsiders.set(name, parameter);
  }
  return outsiders;
}

std::vector<std::string> frozen_in(const Module& model) {
  std::vector<std::string> names;
  for (const auto& item : model.named_parameters())
    if (!item.value().requires_grad()) names.push_back(item.key());
  return names;
}

std::vector<std::string> in_eval(const Module& model) {
  std::vector<std::string> names;
  for (const auto& item : model.named_modules())
    if (!item.value()->is_training()) names.push_back(item.key());
  return names;
}

}  // namespace

state::Instant instant_of(const Run& run) {
  state::Instant instant{.run = run.state};
  instant.run.metrics = run.metrics.state();
  instant.run.seconds = run.seconds();
  auto& flat = instant.run.flat.emplace();
  for (const auto& active : run.optimizers)
    flat.push_back(active.flat ? active.flat->layout() : optim::FlatLayout());
  if (!run.requests.stop_is_granted) instant.run.wish_to_stop = run.requests.stop;
  for (const auto& callback : run.callbacks) {
    StateDict values;
    callback->save_state(values);
    if (!values.empty()) instant.callbacks.emplace_back(callback->state_key(), std::move(values));
  }
  run.model->save_state(instant.module);
  instant.loggers = logger_states(run);
  instant.generators = generator_states();
  return instant;
}

state::Checkpoint checkpoint_of(Run& run) {
  state::Checkpoint checkpoint{run.resting ? *run.resting : instant_of(run)};
  checkpoint.weights = state::weights_of(*run.model);
  for (auto& active : run.optimizers) checkpoint.optimizers.push_back(state_of(active));
  checkpoint.gradients = gradients_of(run);
  checkpoint.own_gradients = own_gradients_of(run);
  checkpoint.outsiders = outsiders_of(run);
  checkpoint.frozen = frozen_in(*run.model);
  checkpoint.in_eval = in_eval(*run.model);
  if (run.config_data) checkpoint.data = run.config_data->learned();
  checkpoint.environment = environment();
  checkpoint.run_id = run.run_id;
  checkpoint.model = run.info.model_name;
  checkpoint.config = run.resolved_config;
  return checkpoint;
}

}  // namespace lightrun::engine
