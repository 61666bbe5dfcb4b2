#include "engine/optimizers.hpp"

#include "engine/learning_rates.hpp"
#include "optim/optimizer.hpp"

#include <lightrun/error.hpp>

#include <torch/optim/lbfgs.h>

#include <algorithm>

namespace lightrun::engine {
namespace {

Optimizers from_config(const Run& run) {
  if (!run.spec.optimizer) throw no_optimizer(run);
  OptimizerSetup setup{.optimizer = optim::make_optimizer(*run.spec.optimizer, run.model->parameters())};
  if (run.spec.scheduler) setup.schedule = optim::make_schedule(*run.spec.scheduler);
  Optimizers optimizers;
  optimizers.add(std::move(setup));
  return optimizers;
}

std::string name_of(const torch::Tensor& parameter,
                    const torch::OrderedDict<std::string, torch::Tensor>& named) {
  for (const auto& item : named) {
    if (item.value().is_same(parameter)) return item.key();
  }
  return "a parameter outside the model";
}

ActiveOptimizer activated(OptimizerSetup setup, const torch::OrderedDict<std::string, torch::Tensor>& named) {
  if (!setup.optimizer) throw RunError("configure_optimizers: one of the optimizers is null");
  if (dynamic_cast<torch::optim::LBFGS*>(setup.optimizer.get())) {
    throw RunError(
        "configure_optimizers: LBFGS evaluates the loss several times a step; this version of lightrun "
        "cannot drive it");
  }
  if (setup.schedule && (!setup.schedule->rate || setup.schedule->frequency < 1)) {
    throw RunError("configure_optimizers: an LrSchedule needs a rate and a frequency of at least 1");
  }
  ActiveOptimizer active{.setup = std::move(setup)};
  for (const auto& group : active.setup.optimizer->param_groups()) {
    active.base_rates.push_back(group.options().get_lr());
    for (const auto& parameter : group.params()) {
      active.parameters.push_back(parameter);
      active.named_parameters.emplace_back(name_of(parameter, named), parameter);
    }
  }
  return active;
}

}  // namespace

ConfigError no_optimizer(const Run& run) {
  return ConfigError("optimizer: missing, and model " + run.info.model_name +
                     " configures none of its own; add one, for example optimizer: {type: adam, lr: 1e-3}");
}

void configure_optimizers(Run& run) {
  run.bus->work(Event::configure_optimizers);
  Optimizers optimizers = run.model->configure_optimizers();
  if (optimizers.empty()) optimizers = from_config(run);
  const auto named = run.model->named_parameters();
  for (auto& setup : optimizers.setups()) {
    run.frequencies.push_back(setup.frequency);
    run.optimizers.push_back(activated(std::move(setup), named));
    run.optimizers.back().setup.optimizer->zero_grad();
  }
  const bool some = std::ranges::any_of(run.frequencies, [](int64_t frequency) { return frequency > 0; });
  const bool all = std::ranges::all_of(run.frequencies, [](int64_t frequency) { return frequency > 0; });
  if (some && !all)
    throw RunError("configure_optimizers: either every optimizer has a frequency of at least 1, or none");
  run.state.schedule_counts.assign(run.optimizers.size(), 0);
  start_schedules(run);
}

}  // namespace lightrun::engine
