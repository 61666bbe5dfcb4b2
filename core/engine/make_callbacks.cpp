#include "engine/make_callbacks.hpp"

#include "callbacks/early_stopping.hpp"
#include "callbacks/model_checkpoint.hpp"
#include "callbacks/progress.hpp"
#include "callbacks/summary.hpp"
#include "callbacks/timer.hpp"
#include "engine/checkpoint_name.hpp"
#include "engine/open_plugins.hpp"
#include "engine/weight_callbacks.hpp"
#include "engine/work_left.hpp"
#include "support/metric_names.hpp"

#include <lightrun/error.hpp>
#include <lightrun/make.hpp>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <utility>

namespace lightrun::engine {
namespace {

const std::string& name_of(const std::string& metric) {
  return metric;
}
std::string name_of(const std::optional<std::string>& metric) {
  return metric.value_or("");
}

/// Whether a file stands where a checkpoint of that name would, and another run or the user has put it there.
bool is_foreign(const Run& run, const std::string& name) {
  const auto path = std::filesystem::path(run.info.checkpoint_dir) / (name + ".ckpt");
  std::error_code error;
  if (run.info.checkpoint_dir.empty() || !std::filesystem::exists(path, error)) return false;
  try {
    return state::read_checkpoint_head(path).run_id != run.run_id;
  } catch (const Error&) {
    return true;
  }
}

/// Names checkpoints after the pattern of the entry at `path`.
std::function<std::string(const Context&)> file_name(const Run& run, const config::ModelCheckpointSpec& spec,
                                                     const std::string& path) {
  auto pattern = config::parse_checkpoint_name(config::effective_filename(spec)).value.value();
  return [&run, path, pattern = std::move(pattern), warned = false](const Context& context) mutable {
    const auto unknown = warned ? std::nullopt : unknown_metric(pattern, context);
    if (unknown) {
      spdlog::warn("{}{}; the file's name says nan", run.at_setting(path + ".filename"),
                   support::missing_metric(*unknown, run.metrics.names()));
      warned = true;
    }
    return checkpoint_name(pattern, context);
  };
}

callbacks::ModelCheckpoint::Rule rule_of(const Run& run, const config::ModelCheckpointSpec& spec,
                                         const std::string& path) {
  callbacks::ModelCheckpoint::Rule rule{
      .save_top_k = spec.save_top_k,
      .save_last = spec.save_last,
      .every_n_epochs = spec.every_n_epochs,
      .every_n_train_steps = spec.every_n_train_steps,
      .file_name = file_name(run, spec, path),
      .is_foreign = [&run](const std::string& name) { return is_foreign(run, name); }};
  if (spec.every_n_minutes) rule.every = std::chrono::duration<double>(*spec.every_n_minutes * 60);
  return rule;
}

template <typename Spec>
callbacks::Monitor::Options monitor_of(const Run& run, const Spec& spec, const std::string& path) {
  return {.metric = name_of(spec.monitor),
          .higher_is_better = spec.mode == config::Mode::max,
          .must_exist = true,
          .origin = run.at_setting(path + ".monitor")};
}

/// Makes the callback of one entry of the config; null where it needs none.
struct MakeCallback {
  Run& run;
  std::string path;  ///< "callbacks.0"
  const Folders& plugin_folders;

  std::unique_ptr<Callback> operator()(const config::ModelCheckpointSpec& spec) const {
    auto monitor = monitor_of(run, spec, path);
    // One that nobody has named is missed by nobody.
    monitor.must_exist = run.spec.origins.contains(path + ".monitor");
    return make_callback<callbacks::ModelCheckpoint>(std::move(monitor), rule_of(run, spec, path));
  }
  std::unique_ptr<Callback> operator()(const config::EarlyStoppingSpec& spec) const {
    auto monitor = monitor_of(run, spec, path);
    monitor.must_exist = spec.strict;
    return make_callback<callbacks::EarlyStopping>(
        std::move(monitor),
        callbacks::EarlyStopping::Rule{.patience = spec.patience,
                                       .min_delta = spec.min_delta,
                                       .check_finite = spec.check_finite,
                                       .stopping_threshold = spec.stopping_threshold,
                                       .divergence_threshold = spec.divergence_threshold});
  }
  std::unique_ptr<Callback> operator()(const config::LrMonitorSpec& spec) const {
    return make_lr_monitor(run, spec);
  }
  /// trainer.accumulate_grad_batches has what it says.
  std::unique_ptr<Callback> operator()(const config::AccumulationSchedulerSpec& /*spec*/) const {
    return nullptr;
  }
  std::unique_ptr<Callback> operator()(const config::TimerSpec& spec) const {
    return make_callback<callbacks::Timer>(callbacks::Timer::Rule{
        .duration = spec.duration, .every_epoch = spec.interval == config::Interval::epoch});
  }
  std::unique_ptr<Callback> operator()(const config::FreezeSpec& spec) const {
    return make_freeze(run, spec, path);
  }
  std::unique_ptr<Callback> operator()(const config::EmaSpec& spec) const { return make_ema(run, spec); }
  std::unique_ptr<Callback> operator()(const config::SwaSpec& spec) const { return make_swa(run, spec); }
  std::unique_ptr<Callback> operator()(const config::PluginCallbackSpec& spec) const {
    const auto [loaded, params] = load_plugin_callback(run.spec, spec, path, plugin_folders);
    return plugin::create(loaded, params);
  }
};

/// The model_checkpoint that is there without being asked for: it does without its metric.
callbacks::Monitor::Options default_checkpoint() {
  return {.must_exist = false};
}

const config::ModelCheckpointSpec* checkpoint_of(const config::RunSpec& spec) {
  for (const auto& callback : spec.callbacks) {
    if (const auto* checkpoint = std::get_if<config::ModelCheckpointSpec>(&callback)) return checkpoint;
  }
  return nullptr;
}

callbacks::Summary::Options summary_options(const config::RunSpec& spec) {
  callbacks::Summary::Options options{.has_table = spec.trainer.enable_model_summary};
  if (const auto* checkpoint = checkpoint_of(spec)) {
    options.monitor = checkpoint->monitor.value_or("");
    options.higher_is_better = checkpoint->mode == config::Mode::max;
  }
  return options;
}

/// What the run saves on its own follows the checkpoints of the config, any of them.
SavePolicy save_policy(const config::RunSpec& spec) {
  if (!checkpoint_of(spec)) return {};
  SavePolicy policy{.at_stop = false, .on_signal = false, .on_exception = false};
  for (const auto& callback : spec.callbacks) {
    const auto* checkpoint = std::get_if<config::ModelCheckpointSpec>(&callback);
    if (!checkpoint) continue;
    policy.at_stop = policy.at_stop || checkpoint->save_last;
    policy.on_signal = policy.on_signal || checkpoint->save_on_signal;
    policy.on_exception = policy.on_exception || checkpoint->save_on_exception;
  }
  return policy;
}

void add_progress(Run& run, support::LinePrinter& printer) {
  run.callbacks.push_back(make_callback<callbacks::Progress>(
      printer, callbacks::Progress::Options{
                   .has_bar = run.screen != nullptr,
                   .refresh_rate = std::max<int64_t>(run.spec.trainer.progress_bar_refresh_rate, 1),
                   .work_left = [&run] { return work_left(run); }}));
}

}  // namespace

void add_callbacks(Run& run, const RunRequest& request, support::LinePrinter& printer,
                   std::vector<std::unique_ptr<Callback>> more, const Attempt& attempt) {
  const Folders folders = plugin_folders(run.spec, request.plugin_dirs);
  for (std::size_t i = 0; i < run.spec.callbacks.size(); ++i) {
    attempt([&] {
      auto callback =
          std::visit(MakeCallback{run, fmt::format("callbacks.{}", i), folders}, run.spec.callbacks[i]);
      if (callback) run.callbacks.push_back(std::move(callback));
    });
  }
  if (run.spec.trainer.enable_checkpointing && !checkpoint_of(run.spec)) {
    run.callbacks.push_back(
        make_callback<callbacks::ModelCheckpoint>(default_checkpoint(), callbacks::ModelCheckpoint::Rule()));
  }
  for (auto& callback : more) run.callbacks.push_back(std::move(callback));
  run.save_policy = save_policy(run.spec);
  auto options = summary_options(run.spec);
  options.prints = !request.quiet;
  run.callbacks.push_back(make_callback<callbacks::Summary>(printer, std::move(options)));
  if (request.quiet) return;
  add_progress(run, printer);
}

void add_evaluation_callbacks(Run& run, const RunRequest& request, support::LinePrinter& printer) {
  if (!request.quiet) add_progress(run, printer);
}

}  // namespace lightrun::engine
