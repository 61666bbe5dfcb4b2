#include "engine/optimizers.hpp"

#include "engine/learning_rates.hpp"
#include "optim/optimizer.hpp"
#include "plugin/demangle.hpp"
#include "support/pattern.hpp"
#include "support/quantity.hpp"
#include "support/text.hpp"

#include <lightrun/error.hpp>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>
#include <torch/optim/lbfgs.h>

#include <algorithm>

namespace lightrun::engine {
namespace {

/// How often the config's schedule advances in the whole run, as far as anybody knows.
std::optional<int64_t> schedule_length(const Run& run) {
  const config::SchedulerSpec& spec = *run.spec.scheduler;
  std::optional<int64_t> events;
  if (spec.interval == config::Interval::epoch) {
    if (run.plan.max_epochs != schedule::Plan::kNoLimit) events = run.plan.max_epochs;
  } else if (const auto totals = run.plan.totals()) {
    events = totals->steps;
  } else {
    events = run.plan.max_steps;
  }
  if (!events) return std::nullopt;
  return *events / spec.frequency - spec.warmup;
}

LrSchedule schedule_from_config(const Run& run) {
  try {
    return optim::make_schedule(*run.spec.scheduler, schedule_length(run));
  } catch (const optim::UnknownLength& unknown) {
    throw ConfigError(
        run.at_setting("scheduler." + unknown.setting) +
        "null is the whole run, and how long that is nobody knows; give a number, or max_steps");
  }
}

/// The config's optimizer over the model's parameters, each once.
std::unique_ptr<torch::optim::Optimizer> optimizer_from_config(const Run& run) {
  if (!run.spec.optimizer) throw no_optimizer(run);
  optim::NamedTensors parameters;
  for (const auto& item : run.model->named_parameters()) {
    const bool is_there = std::ranges::any_of(
        parameters, [&](const auto& other) { return other.second.is_same(item.value()); });
    if (!is_there) parameters.emplace_back(item.key(), item.value());
  }
  try {
    return optim::make_optimizer(*run.spec.optimizer, std::move(parameters));
  } catch (const optim::EmptyGroup& empty) {
    const std::string& pattern = run.spec.optimizer->groups[empty.group].params;
    const bool is_taken = !support::names_with(pattern, empty.names).empty();
    throw ConfigError(run.at_setting(fmt::format("optimizer.groups.{}.params", empty.group)) +
                      (is_taken ? "'" + pattern + "' fits only parameters that groups before it have"
                                : support::found_in_no_name(pattern, empty.names)));
  }
}

Optimizers from_config(const Run& run) {
  OptimizerSetup setup{.optimizer = optimizer_from_config(run)};
  if (run.spec.scheduler) setup.schedule = schedule_from_config(run);
  Optimizers optimizers;
  optimizers.add(std::move(setup));
  return optimizers;
}

/// @param place what the parameter is called where the model does not have it
std::string name_of(const torch::Tensor& parameter,
                    const torch::OrderedDict<std::string, torch::Tensor>& named, const std::string& place) {
  for (const auto& item : named) {
    if (item.value().is_same(parameter)) return item.key();
  }
  return std::string(kOutside) + place;
}

/// @param number which optimizer it is
ActiveOptimizer activated(OptimizerSetup setup, const torch::OrderedDict<std::string, torch::Tensor>& named,
                          std::size_t number) {
  if (!setup.optimizer) throw RunError("one of the optimizers is null");
  setup.evaluates_loss =
      setup.evaluates_loss || dynamic_cast<torch::optim::LBFGS*>(setup.optimizer.get()) != nullptr;
  if (setup.schedule &&
      ((!setup.schedule->rate && !setup.schedule->plateau) || setup.schedule->frequency < 1)) {
    throw RunError("an LrSchedule needs a rate or a plateau, and a frequency of at least 1");
  }
  ActiveOptimizer active{.setup = std::move(setup)};
  for (const auto& group : active.setup.optimizer->param_groups()) {
    active.base_rates.push_back(group.options().get_lr());
    for (const auto& parameter : group.params()) {
      active.parameters.push_back(parameter);
      const std::string place =
          fmt::format("parameter {} of optimizer {}", active.named_parameters.size(), number);
      active.named_parameters.emplace_back(name_of(parameter, named, place), parameter);
    }
  }
  return active;
}

void check_closures(const Run& run) {
  const bool any = std::ranges::any_of(run.optimizers, &ActiveOptimizer::evaluates_loss);
  if (!any) return;
  const std::string why = "not with an optimizer that evaluates the loss several times a step, as LBFGS does";
  const auto& factors = run.plan.accumulation;
  if (std::ranges::any_of(factors, [](const auto& entry) { return entry.second > 1; })) {
    throw ConfigError(run.at_setting("trainer.accumulate_grad_batches") + why + "; use a larger batch");
  }
  if (run.spec.trainer.gradient_clip_val > 0) {
    throw ConfigError(run.at_setting("trainer.gradient_clip_val") + why);
  }
}

void find_shared_parameters(Run& run) {
  for (auto& active : run.optimizers) {
    for (const auto& [name, parameter] : active.named_parameters) {
      const auto owners = std::ranges::count_if(run.optimizers, [&](const ActiveOptimizer& other) {
        return std::ranges::any_of(other.parameters,
                                   [&](const auto& each) { return each.is_same(parameter); });
      });
      if (owners > 1) active.shared.emplace_back(name, parameter);
    }
  }
}

/// Why an optimizer has to see each parameter by itself; nothing: it has not.
std::optional<std::string> reason_against_flat(const Run& run, const ActiveOptimizer& active) {
  const EventSet& own = run.model->overrides();
  if (own.contains(Event::optimizer_step) || own.contains(Event::optimizer_zero_grad))
    return "the model has an optimizer_step or an optimizer_zero_grad of its own";
  if (!optim::FlatParameters::can_be_of(*active.setup.optimizer))
    return "only SGD, Adam, AdamW, RMSprop and Adagrad with an eps above 0 treat every entry by itself";
  return std::nullopt;
}

void make_flat(Run& run, ActiveOptimizer& active) {
  const auto wish = run.spec.trainer.flat_parameters;
  if (wish == config::FlatParameters::never) return;
  if (const auto reason = reason_against_flat(run, active)) {
    if (wish == config::FlatParameters::always)
      spdlog::warn("{}true changes nothing: {}", run.at_setting("trainer.flat_parameters"), *reason);
    return;
  }
  std::vector<torch::Tensor> shared;
  for (const auto& [name, parameter] : active.shared) shared.push_back(parameter);
  active.flat = std::make_unique<optim::FlatParameters>(*active.setup.optimizer, std::move(shared));
}

/// "Adam, lr 0.001"; "AdamW, 2 groups: 6 parameters with lr 0.01, 4 with lr 0.001".
std::string in_words(const ActiveOptimizer& active) {
  const torch::optim::Optimizer& optimizer = *active.setup.optimizer;
  std::string name = plugin::demangled(typeid(optimizer).name());
  name = name.substr(name.rfind(':') + 1);
  const auto& groups = optimizer.param_groups();
  if (groups.size() == 1)
    return fmt::format("{}, lr {}", name, support::value_text(active.base_rates.front()));
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto count = static_cast<int64_t>(groups[i].params().size());
    texts.push_back(fmt::format(
        "{} with lr {}", i == 0 ? support::counted(count, "parameter", "parameters") : std::to_string(count),
        support::value_text(active.base_rates[i])));
  }
  return fmt::format("{}, {} groups: {}", name, groups.size(), support::join(texts));
}

}  // namespace

ConfigError no_optimizer(const Run& run) {
  return ConfigError("optimizer: missing, and model " + run.info.model_name +
                     " configures none of its own; add one, for example optimizer: {type: adam, lr: 1e-3}");
}

void check_optimizer(const Run& run) {
  if (run.spec.optimizer) static_cast<void>(optimizer_from_config(run));
}

void check_schedule(const Run& run) {
  if (run.spec.scheduler) static_cast<void>(schedule_from_config(run));
}

void configure_optimizers(Run& run) {
  Optimizers optimizers;
  {
    const auto timed = run.bus->work(Event::configure_optimizers);
    optimizers = run.model->configure_optimizers();
  }
  if (optimizers.empty()) optimizers = from_config(run);
  const auto named = run.model->named_parameters();
  for (auto& setup : optimizers.setups()) {
    run.frequencies.push_back(setup.frequency);
    run.optimizers.push_back(activated(std::move(setup), named, run.optimizers.size()));
    run.optimizers.back().setup.optimizer->zero_grad();
  }
  const bool some = std::ranges::any_of(run.frequencies, [](int64_t frequency) { return frequency > 0; });
  const bool all = std::ranges::all_of(run.frequencies, [](int64_t frequency) { return frequency > 0; });
  if (some && !all) throw RunError("either every optimizer has a frequency of at least 1, or none");
  check_closures(run);
  find_shared_parameters(run);
  for (auto& active : run.optimizers) make_flat(run, active);
  const bool turns_cut_windows =
      some && std::ranges::any_of(run.plan.accumulation, [](const auto& entry) { return entry.second > 1; });
  if (turns_cut_windows) run.info.total_steps.reset();
  for (const auto& active : run.optimizers) run.info.optimizers.push_back(in_words(active));
  run.state.schedules.assign(run.optimizers.size(), {});
  start_schedules(run);
}

}  // namespace lightrun::engine
