#include "engine/environment.hpp"
#include "engine/generators.hpp"
#include "engine/instant.hpp"
#include "state/weights.hpp"

#include <lightrun/error.hpp>

#include <ATen/core/grad_mode.h>
#include <spdlog/spdlog.h>

#include <algorithm>

namespace lightrun::engine {
namespace {

using state::Checkpoint;

bool is_among(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

/// Every difference, before anything is changed.
void check_optimizers_fit(const Run& run, const Checkpoint& checkpoint) {
  std::string text;
  if (checkpoint.optimizers.size() != run.optimizers.size()) {
    text = "\n  " + std::to_string(checkpoint.optimizers.size()) + " optimizers in the file, " +
           std::to_string(run.optimizers.size()) + " in this run";
  } else {
    for (std::size_t i = 0; i < run.optimizers.size(); ++i) {
      const auto& active = run.optimizers[i];
      const std::string which = run.optimizers.size() > 1 ? "optimizer " + std::to_string(i) + ": " : "";
      for (const auto& line :
           optim::differences(checkpoint.optimizers[i], *active.setup.optimizer, active.named_parameters))
        text += "\n  " + which + line;
    }
  }
  if (!text.empty()) {
    throw RunError(run.resumed_path +
                   ": its optimizers are not this run's (--weights-only takes the weights alone):" + text);
  }
}

void restore_optimizers(Run& run, const Checkpoint& checkpoint) {
  for (std::size_t i = 0; i < run.optimizers.size(); ++i) {
    auto& active = run.optimizers[i];
    const auto& saved = checkpoint.optimizers[i];
    optim::restore(*active.setup.optimizer, saved, active.named_parameters);
    for (std::size_t group = 0; group < saved.groups.size(); ++group)
      active.base_rates[group] = saved.groups[group].options.get<double>(kBaseRate);
    const at::NoGradGuard no_grad;
    for (auto& [name, parameter] : active.named_parameters) {
      if (is_outside(name)) parameter.copy_(checkpoint.outsiders.get<torch::Tensor>(name));
    }
  }
}

void restore_layouts(Run& run, const std::vector<optim::FlatLayout>& layouts) {
  for (std::size_t i = 0; i < std::min(layouts.size(), run.optimizers.size()); ++i)
    if (run.optimizers[i].flat) run.optimizers[i].flat->restore(layouts[i]);
}

/// The gradient kept under this name, for a parameter; undefined where there is none.
torch::Tensor gradient_in(const StateDict& gradients, const std::string& name,
                          const torch::Tensor& parameter) {
  if (!gradients.contains(name)) return {};
  const auto& value = gradients.values().find(name)->second;
  const auto* gradient = std::get_if<torch::Tensor>(&value);
  return gradient ? gradient->to(parameter.device()).clone() : torch::zeros_like(parameter);
}

void restore_gradients(Run& run, const Checkpoint& checkpoint) {
  for (const auto& item : run.model->named_parameters()) {
    torch::Tensor parameter = item.value();
    parameter.mutable_grad() = gradient_in(checkpoint.gradients, item.key(), parameter);
  }
  for (std::size_t i = 0; i < run.optimizers.size(); ++i) {
    auto& active = run.optimizers[i];
    active.own_gradients.clear();
    for (const auto& [name, parameter] : active.shared)
      active.own_gradients.push_back(gradient_in(checkpoint.own_gradients.at(i), name, parameter));
  }
}

void restore_modes(Module& model, const Checkpoint& checkpoint) {
  for (const auto& item : model.named_parameters()) {
    torch::Tensor parameter = item.value();
    parameter.set_requires_grad(!is_among(checkpoint.frozen, item.key()));
  }
  // Parents before their children: train(mode) sets the children too.
  for (const auto& item : model.named_modules())
    item.value()->train(!is_among(checkpoint.in_eval, item.key()));
}

/// Each callback takes the first state under its key that no other has taken.
void restore_callbacks(Run& run, const Checkpoint& checkpoint) {
  auto left = checkpoint.callbacks;
  for (const auto& callback : run.callbacks) {
    const auto found =
        std::ranges::find(left, callback->state_key(), [](const auto& entry) { return entry.first; });
    if (found == left.end()) continue;
    callback->load_state(found->second);
    left.erase(found);
  }
  for (const auto& [key, values] : left)
    spdlog::info("what the checkpoint keeps of {} is left out: there is no such callback in this run", key);
}

void warn_of_other_environment(const Checkpoint& checkpoint) {
  const state::Texts here = environment();
  std::string text;
  for (const auto& [name, value] : here) {
    const auto saved = checkpoint.environment.find(name);
    if (saved != checkpoint.environment.end() && saved->second != value)
      text += "\n  " + name + ": " + saved->second + " there, " + value + " here";
  }
  if (text.empty()) return;
  spdlog::warn("the checkpoint was made in another environment; results may differ in their last digits:{}",
               text);
}

}  // namespace

void restore(Run& run) {
  run.bus->doing("restoring the checkpoint");
  const Checkpoint& checkpoint = *run.resumes_from;
  check_optimizers_fit(run, checkpoint);
  warn_of_other_environment(checkpoint);
  restore_optimizers(run, checkpoint);
  state::set_weights({checkpoint.weights.begin(), checkpoint.weights.end()}, *run.model);
  restore_gradients(run, checkpoint);
  restore_modes(*run.model, checkpoint);
  run.state = checkpoint.run;
  if (run.state.flat) restore_layouts(run, *run.state.flat);
  run.metrics.restore(checkpoint.run.metrics);
  run.requests.stop = checkpoint.run.wish_to_stop;
  run.last_saved_at = run.state.instant();
  run.model->load_state(checkpoint.module);
  restore_callbacks(run, checkpoint);
  run.bus->emit(Event::on_load_checkpoint);
}

void restore_instant(Run& run) {
  run.metrics.restore(run.resumes_from->run.metrics);
  set_generator_states(run.resumes_from->generators);
  run.resumes_from.reset();
}

}  // namespace lightrun::engine
