#include "engine/build.hpp"

#include "callbacks/model_checkpoint.hpp"
#include "callbacks/progress.hpp"
#include "callbacks/summary.hpp"
#include "config/bind_params.hpp"
#include "engine/device.hpp"
#include "engine/failure.hpp"
#include "engine/optimizers.hpp"
#include "engine/output.hpp"
#include "plugin/load.hpp"
#include "plugin/search_path.hpp"
#include "schedule/limits.hpp"
#include "schedule/window.hpp"

#include <lightrun/error.hpp>
#include <lightrun/make.hpp>

#include <ATen/Context.h>

namespace lightrun::engine {
namespace {

std::string at_setting(const Run& run, std::string_view path) {
  return config::where(run.spec.origins, path) + std::string(path) + ": ";
}

/// Runs a piece of the plugin outside the loop. What it throws becomes a RunError that says which piece it
/// was.
template <typename Function>
auto guarded(const Run& run, std::string_view piece, Function&& function) {
  try {
    return function();
  } catch (const Error&) {
    throw;
  } catch (...) {
    throw RunError("model " + run.info.model_name + ": " + std::string(piece) +
                   " failed: " + describe(std::current_exception()));
  }
}

void load_model(Run& run, const TrainRequest& request) {
  const config::ModelSpec& spec = run.spec.model;
  const auto folders = plugin::search_path(request.plugin_dirs);
  const plugin::LoadedModel loaded = plugin::load_model(spec.plugin, spec.name, folders);
  const Params params = config::bind_params(spec.params, loaded.parameters, loaded.directory, loaded.name);
  torch::manual_seed(static_cast<uint64_t>(run.spec.seed));
  run.model = plugin::create_model(loaded, params);
  run.info.model_name = loaded.name;
  run.info.plugin_path = loaded.path;
  if (run.model->overrides().contains(Event::configure_optimizers) && run.spec.optimizer) {
    throw ConfigError(at_setting(run, "optimizer") + "model " + loaded.name +
                      " configures its own optimizers; leave this section out");
  }
  if (!run.model->overrides().contains(Event::configure_optimizers) && !run.spec.optimizer)
    throw no_optimizer(run);
  run.model->to(run.device);
}

void load_data(Run& run) {
  const auto load = [&](Event hook, data::Loader::Purpose purpose) {
    return guarded(run, event_name(hook), [&] {
      DataLoader description =
          hook == Event::train_dataloader ? run.model->train_dataloader() : run.model->val_dataloader();
      return data::Loader(std::move(description), run.spec.data, purpose, run.spec.seed);
    });
  };
  run.train_loader.emplace(load(Event::train_dataloader, data::Loader::Purpose::train));
  run.val_loader.emplace(load(Event::val_dataloader, data::Loader::Purpose::validate));
  if (run.train_loader->empty()) {
    throw RunError("model " + run.info.model_name +
                   " has no training data: it does not override train_dataloader()");
  }
  if (run.train_loader->batches() == 0) throw RunError("the training data holds not a single batch");
}

void check_limit(const Run& run, const char* setting, const config::Limit& limit,
                 std::optional<int64_t> available) {
  switch (schedule::check_limit(limit, available)) {
    case schedule::LimitFault::none:
      return;
    case schedule::LimitFault::fraction_gives_none:
      throw ConfigError(at_setting(run, setting) + limit.text() + " of " + std::to_string(*available) +
                        " batches is none; give a larger fraction, or a number of batches such as 1");
    case schedule::LimitFault::fraction_of_a_stream:
      throw ConfigError(
          at_setting(run, setting) + limit.text() +
          ": the data is a stream of unknown length, which a fraction cannot limit; give a number of "
          "batches");
  }
}

void make_plan(Run& run) {
  const config::TrainerSpec& trainer = run.spec.trainer;
  schedule::Available available{.train = run.train_loader->batches(), .val = 0};
  if (!run.val_loader->empty() && run.model->overrides().contains(Event::validation_step)) {
    available.val = run.val_loader->batches();
  }
  check_limit(run, "trainer.limit_train_batches", trainer.limit_train_batches, available.train);
  check_limit(run, "trainer.limit_val_batches", trainer.limit_val_batches, available.val);
  run.plan = schedule::make_plan(trainer, available);
  if (run.plan.train_batches == 0) {
    throw ConfigError(at_setting(run, "trainer.limit_train_batches") + "0 leaves nothing to train on");
  }

  RunInfo& info = run.info;
  info.seed = run.spec.seed;
  info.train_samples = run.train_loader->samples();
  info.val_samples = run.val_loader->samples();
  info.batch_size = run.train_loader->batch_size();
  info.train_batches = run.plan.train_batches;
  info.train_batches_available = available.train;
  info.val_batches = run.plan.val_batches;
  info.val_batches_available = available.val;
  info.sanity_batches = run.plan.sanity_batches;
  info.max_epochs = run.plan.max_epochs;
  info.max_steps = run.plan.max_steps;
  info.accumulate_grad_batches = schedule::accumulation_factor(run.plan.accumulation, 0);
  if (const auto totals = run.plan.totals()) {
    info.total_steps = totals->steps;
    info.total_batches = totals->batches;
  }
}

void add_callbacks(Run& run, const TrainRequest& request, support::LinePrinter& printer) {
  callbacks::Summary::Options summary;
  const auto add_checkpoint = [&](const config::ModelCheckpointSpec& spec, bool must_exist) {
    summary = {.monitor = spec.monitor, .higher_is_better = spec.mode == config::Mode::max};
    run.callbacks.push_back(make_callback<callbacks::ModelCheckpoint>(callbacks::ModelCheckpoint::Options{
        .monitor = spec.monitor, .higher_is_better = summary.higher_is_better, .must_exist = must_exist}));
  };
  if (run.spec.callbacks.size() > 1) {
    throw ConfigError(at_setting(run, "callbacks") +
                      "two model_checkpoints would write the same best.ckpt; give one");
  }
  for (const auto& callback : run.spec.callbacks)
    add_checkpoint(std::get<config::ModelCheckpointSpec>(callback), true);
  if (run.spec.callbacks.empty()) add_checkpoint({}, false);
  if (request.quiet) return;
  run.callbacks.push_back(make_callback<callbacks::Summary>(printer, summary));
  run.callbacks.push_back(make_callback<callbacks::Progress>(printer));
}

}  // namespace

void prepare(Run& run) {
  load_data(run);
  make_plan(run);
}

std::unique_ptr<Run> build(const TrainRequest& request, support::LinePrinter& printer) {
  auto run = std::make_unique<Run>();
  run->spec = request.spec;
  run->resolved_config = request.resolved_config;
  run->device = choose_device(run->spec);
  run->info.devices = {run->device.str()};
  load_model(*run, request);
  prepare(*run);
  if (request.trace) run->trace = std::make_unique<Trace>(*request.trace);
  make_output(*run);
  add_callbacks(*run, request, printer);
  run->signals = std::make_unique<support::StopSignals>();
  run->connect();
  run->model->set_metric_sink(&run->metrics);
  return run;
}

}  // namespace lightrun::engine
