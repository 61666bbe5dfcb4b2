#include "engine/build.hpp"

#include "config/bind_params.hpp"
#include "config/dump.hpp"
#include "config/resumed.hpp"
#include "engine/data.hpp"
#include "engine/device.hpp"
#include "engine/make_callbacks.hpp"
#include "engine/open_plugins.hpp"
#include "engine/optimizers.hpp"
#include "engine/output.hpp"
#include "engine/resume.hpp"
#include "state/safetensors.hpp"
#include "state/weights.hpp"

#include <lightrun/error.hpp>

#include <ATen/Context.h>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <string>
#include <utility>

namespace lightrun::engine {
namespace {

/// @param learned what a checkpoint has kept of the data; empty: a new run
void open_data(Run& run, const RunRequest& request, StateDict learned) {
  const auto open_plugin = [&run, folders = plugin_folders(run.spec, request.plugin_dirs)](
                               const config::PluginSource& source, const std::string& path) {
    return open_plugin_source(run, source, path, folders);
  };
  run.config_data.emplace(run.spec.data, std::move(learned), run.spec.origins, open_plugin);
}

/// Moves the model to where it trains.
void settle_model(Run& run) {
  run.model->to(run.device);
  if (run.spec.trainer.precision == config::Precision::float64) run.model->to(torch::kFloat64);
}

void take_model(Run& run, std::shared_ptr<Module> model) {
  run.model = std::move(model);
  run.info.model_name = run.spec.model.plugin;
  settle_model(run);
}

void load_model(Run& run, const RunRequest& request) {
  const config::ModelSpec& spec = run.spec.model;
  const plugin::LoadedModel loaded = load_plugin(run.spec, request.plugin_dirs);
  Params params =
      config::bind_params(spec.params, loaded.parameters, loaded.directory, loaded.name, "model.params");
  params.set_data(run.config_data->info());
  torch::manual_seed(static_cast<uint64_t>(run.spec.seed));
  run.model = plugin::create(loaded, params);
  run.info.model_name = loaded.name;
  run.info.plugin_path = loaded.path;
  settle_model(run);
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

/// What all commands share, up to the model.
std::unique_ptr<Run> with_model(const RunRequest& request, std::shared_ptr<Module> model, StateDict learned,
                                support::LinePrinter& printer) {
  auto run = std::make_unique<Run>();
  run->spec = request.spec;
  const config::TrainerSpec& trainer = run->spec.trainer;
  const bool has_bar = trainer.enable_progress_bar && trainer.progress_bar_refresh_rate > 0;
  if (has_bar && !request.quiet) run->screen = &printer;
  const support::Wait wait(run->screen, "making the model");
  run->resolved_config = request.resolved_config;
  at::globalContext().setDeterministicAlgorithms(run->spec.trainer.deterministic, /*warn_only=*/false);
  at::globalContext().setDeterministicCuDNN(run->spec.trainer.deterministic);
  run->device = choose_device(run->spec);
  run->info.devices = {run->device.str()};
  open_data(*run, request, std::move(learned));
  if (model)
    take_model(*run, std::move(model));
  else
    load_model(*run, request);
  return run;
}

/// The request with what the checkpoint's run has settled.
RunRequest resumed_request(RunRequest request, const ResumePoint& from) {
  auto resumed = config::resumed(request.spec, from.checkpoint.config, from.path.string());
  std::string text;
  for (const std::string& difference : resumed.differences) text += "\n  " + difference;
  if (!text.empty()) spdlog::warn("{} is resumed with differences:{}", from.path.string(), text);
  request.spec = std::move(resumed.spec);
  request.resolved_config = config::dump(request.spec);
  return request;
}

/// A tensor that the checkpoint's format has no place for would stop the run at the first save.
void check_weights_can_be_saved(const Run& run) {
  if (!run.spec.trainer.enable_checkpointing) return;
  for (const auto& [name, tensor] : state::weights_of(*run.model)) {
    if (const auto reason = state::reason_not_to_save(tensor)) {
      throw RunError("model " + run.info.model_name + ": a checkpoint cannot hold " + name + ": " + *reason +
                     "; trainer.enable_checkpointing: false trains without any");
    }
  }
}

/// For the screen, where epochs count from 1.
std::string place_text(const state::RunState& state) {
  const std::string batches = state.epoch_done ? "its end" : "batch " + std::to_string(state.epoch_batches);
  return fmt::format(" (epoch {}, {}, step {})", state.epoch + 1, batches, state.steps_done());
}

void check_weights_fit(const Run& run, const ResumePoint& from) {
  const auto& weights = from.checkpoint.weights;
  state::check_weights_fit(from.path, {weights.begin(), weights.end()}, *run.model);
}

std::unique_ptr<Profiler> make_profiler(const Run& run, const RunRequest& request) {
  const config::Profiler kind = run.spec.trainer.profiler;
  if (kind == config::Profiler::none) return nullptr;
  if (kind == config::Profiler::simple || request.dry) return std::make_unique<Profiler>();
  if (!run.info.run_dir.empty()) return std::make_unique<Profiler>(run.info.run_dir);
  spdlog::warn("{}there is no run's folder to write a trace into, only the table is printed",
               run.at_setting("trainer.profiler"));
  return std::make_unique<Profiler>();
}

/// Opens what the run writes beside its folder, and lets its parts know each other.
void connect(Run& run, const RunRequest& request) {
  if (request.trace) run.trace = std::make_unique<Trace>(*request.trace);
  run.profiler = make_profiler(run, request);
  run.signals = std::make_unique<support::StopSignals>();
  run.connect();
  run.model->set_metric_sink(&run.metrics);
}

/// A file of weights alone (of `lightrun export`) has not kept what was learned from the data.
void warn_if_learned_anew(Run& run, const std::string& checkpoint) {
  if (!run.config_data || run.config_data->learned().empty()) return;
  spdlog::warn(
      "{} has only weights: normalization, categories and the like are learned anew from data.train, "
      "and may differ from those of its training",
      checkpoint);
}

/// @param prepare_data one of data.hpp
std::unique_ptr<Run> build_evaluation(const RunRequest& request, support::LinePrinter& printer,
                                      void (*prepare_data)(Run&)) {
  StateDict learned = state::read_learned_data(*request.checkpoint);
  const bool learns_anew = learned.empty();
  auto run = with_model(request, nullptr, std::move(learned), printer);
  state::load_weights(*request.checkpoint, *run->model, request.strip_prefix);
  prepare_data(*run);
  if (learns_anew) warn_if_learned_anew(*run, *request.checkpoint);
  add_evaluation_callbacks(*run, request, printer);
  connect(*run, request);
  return run;
}

}  // namespace

std::unique_ptr<Run> build(const RunRequest& asked, support::LinePrinter& printer, Embedded embedded,
                           const Attempt& attempt) {
  std::optional<ResumePoint> from;
  if (asked.resume) {
    const support::Wait wait(asked.quiet ? nullptr : &printer, "reading the checkpoint");
    from = find_resume_point(asked.spec.run, *asked.resume);
  }
  const RunRequest request = from ? resumed_request(asked, *from) : asked;
  auto run =
      with_model(request, std::move(embedded.model), from ? from->checkpoint.data : StateDict(), printer);
  attempt([&] { check_optimizer_is_given_once(*run); });
  attempt([&] { check_weights_can_be_saved(*run); });
  if (from) check_weights_fit(*run, *from);
  if (request.weights_only) state::load_weights(*request.weights_only, *run->model, request.strip_prefix);
  bool is_prepared = false;
  attempt([&] {
    prepare(*run);
    is_prepared = true;
  });
  attempt([&] { check_optimizer(*run); });
  if (is_prepared) attempt([&] { check_schedule(*run); });
  make_output(*run, request, from ? &*from : nullptr);
  add_callbacks(*run, request, printer, std::move(embedded.callbacks), attempt);
  if (from) {
    run->resumed_path = from->path.string();
    run->info.resumed_from = run->resumed_path;
    run->info.resumed_at = place_text(from->checkpoint.run);
    run->resumes_from = std::move(from->checkpoint);
  }
  connect(*run, request);
  return run;
}

std::unique_ptr<Run> build_test(const RunRequest& request, support::LinePrinter& printer) {
  return build_evaluation(request, printer, prepare_test);
}

std::unique_ptr<Run> build_predict(const RunRequest& request, support::LinePrinter& printer) {
  return build_evaluation(request, printer, prepare_predict);
}

}  // namespace lightrun::engine
