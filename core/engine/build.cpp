#include "engine/build.hpp"

#include "config/bind_params.hpp"
#include "engine/data.hpp"
#include "engine/device.hpp"
#include "engine/make_callbacks.hpp"
#include "engine/optimizers.hpp"
#include "engine/output.hpp"
#include "plugin/load.hpp"
#include "plugin/search_path.hpp"
#include "state/checkpoint.hpp"

#include <lightrun/error.hpp>

#include <ATen/Context.h>

namespace lightrun::engine {
namespace {

void load_model(Run& run, const RunRequest& request) {
  const config::ModelSpec& spec = run.spec.model;
  const auto folders = plugin::search_path(request.plugin_dirs);
  const plugin::LoadedModel loaded = plugin::load_model(spec.plugin, spec.name, folders);
  const Params params = config::bind_params(spec.params, loaded.parameters, loaded.directory, loaded.name);
  torch::manual_seed(static_cast<uint64_t>(run.spec.seed));
  run.model = plugin::create_model(loaded, params);
  run.info.model_name = loaded.name;
  run.info.plugin_path = loaded.path;
  run.model->to(run.device);
  if (run.spec.trainer.precision == config::Precision::float64) run.model->to(torch::kFloat64);
}

void check_optimizer_is_given_once(const Run& run) {
  const bool by_model = run.model->overrides().contains(Event::configure_optimizers);
  if (!by_model && !run.spec.optimizer) throw no_optimizer(run);
  if (!by_model) return;
  for (const auto& [section, is_given] : {std::pair{"optimizer", run.spec.optimizer.has_value()},
                                          {"scheduler", run.spec.scheduler.has_value()}}) {
    if (!is_given) continue;
    throw ConfigError(run.at_setting(section) + "model " + run.info.model_name +
                      " configures its own optimizers; leave this section out");
  }
}

/// What train and test share, up to the model.
std::unique_ptr<Run> with_model(const RunRequest& request) {
  auto run = std::make_unique<Run>();
  run->spec = request.spec;
  run->resolved_config = request.resolved_config;
  at::globalContext().setDeterministicAlgorithms(run->spec.trainer.deterministic, /*warn_only=*/false);
  at::globalContext().setDeterministicCuDNN(run->spec.trainer.deterministic);
  run->device = choose_device(run->spec);
  run->info.devices = {run->device.str()};
  load_model(*run, request);
  return run;
}

/// Opens what the run writes beside its folder, and lets its parts know each other.
void connect(Run& run, const RunRequest& request) {
  if (request.trace) run.trace = std::make_unique<Trace>(*request.trace);
  if (run.spec.trainer.profiler == config::Profiler::simple) run.profiler = std::make_unique<Profiler>();
  run.signals = std::make_unique<support::StopSignals>();
  run.connect();
  run.model->set_metric_sink(&run.metrics);
}

}  // namespace

std::unique_ptr<Run> build(const RunRequest& request, support::LinePrinter& printer) {
  auto run = with_model(request);
  check_optimizer_is_given_once(*run);
  prepare(*run);
  check_schedule(*run);
  make_output(*run);
  add_callbacks(*run, request, printer);
  connect(*run, request);
  return run;
}

std::unique_ptr<Run> build_test(const RunRequest& request, support::LinePrinter& printer) {
  auto run = with_model(request);
  state::load_weights(*request.checkpoint, *run->model);
  prepare_test(*run);
  add_test_callbacks(*run, request, printer);
  connect(*run, request);
  return run;
}

}  // namespace lightrun::engine
