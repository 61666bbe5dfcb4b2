#include "engine/make_callbacks.hpp"

#include "callbacks/early_stopping.hpp"
#include "callbacks/model_checkpoint.hpp"
#include "callbacks/progress.hpp"
#include "callbacks/summary.hpp"

#include <lightrun/make.hpp>

#include <algorithm>

namespace lightrun::engine {
namespace {

template <typename Spec>
callbacks::Monitor::Options monitor_of(const Run& run, const Spec& spec, const std::string& path) {
  return {.metric = spec.monitor,
          .higher_is_better = spec.mode == config::Mode::max,
          .must_exist = true,
          .origin = run.at_setting(path + ".monitor")};
}

/// Makes the callback of one entry of the config.
struct MakeCallback {
  const Run& run;
  std::string path;  ///< "callbacks.0"

  std::unique_ptr<Callback> operator()(const config::ModelCheckpointSpec& spec) const {
    return make_callback<callbacks::ModelCheckpoint>(monitor_of(run, spec, path));
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
    options.monitor = checkpoint->monitor;
    options.higher_is_better = checkpoint->mode == config::Mode::max;
  }
  return options;
}

void add_progress(Run& run, support::LinePrinter& printer) {
  const config::TrainerSpec& trainer = run.spec.trainer;
  const bool has_bar = trainer.enable_progress_bar && trainer.progress_bar_refresh_rate > 0;
  run.callbacks.push_back(make_callback<callbacks::Progress>(
      printer,
      callbacks::Progress::Options{.has_bar = has_bar,
                                   .refresh_rate = std::max<int64_t>(trainer.progress_bar_refresh_rate, 1)}));
}

}  // namespace

void add_callbacks(Run& run, const RunRequest& request, support::LinePrinter& printer) {
  for (std::size_t i = 0; i < run.spec.callbacks.size(); ++i) {
    run.callbacks.push_back(
        std::visit(MakeCallback{run, "callbacks." + std::to_string(i)}, run.spec.callbacks[i]));
  }
  if (run.spec.trainer.enable_checkpointing && !checkpoint_of(run.spec)) {
    run.callbacks.push_back(make_callback<callbacks::ModelCheckpoint>(default_checkpoint()));
  }
  if (request.quiet) return;
  run.callbacks.push_back(make_callback<callbacks::Summary>(printer, summary_options(run.spec)));
  add_progress(run, printer);
}

void add_test_callbacks(Run& run, const RunRequest& request, support::LinePrinter& printer) {
  if (!request.quiet) add_progress(run, printer);
}

}  // namespace lightrun::engine
