#pragma once

#include "config/run_spec.hpp"
#include "data/loader.hpp"
#include "engine/event_bus.hpp"
#include "engine/metric_store.hpp"
#include "engine/profiler.hpp"
#include "engine/trace.hpp"
#include "loggers/logger.hpp"
#include "optim/gradients.hpp"
#include "schedule/plan.hpp"
#include "state/run_state.hpp"
#include "support/signals.hpp"

#include <lightrun/callback.hpp>
#include <lightrun/context.hpp>
#include <lightrun/module.hpp>
#include <lightrun/optimizers.hpp>
#include <lightrun/run_info.hpp>

#include <torch/types.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lightrun::engine {

/// An optimizer at work.
struct ActiveOptimizer {
  OptimizerSetup setup = {};
  std::vector<torch::Tensor> parameters = {};
  optim::NamedTensors named_parameters = {};      ///< the same, with their names in the model
  std::vector<double> base_rates = {};            ///< of each parameter group, before any schedule
  optim::NamedTensors shared = {};                ///< those of its parameters that another optimizer has too
  std::vector<torch::Tensor> own_gradients = {};  ///< of `shared`, while another optimizer has its turn

  [[nodiscard]] bool evaluates_loss() const { return setup.evaluates_loss; }
};

/// What hooks have asked for and the engine has not done yet.
struct Requests {
  std::optional<std::string> stop;
  bool skip_epoch = false;
  std::vector<std::string> saves;  ///< names, each once
};

/// What one optimizer step has measured.
struct LoggedRow {
  int64_t step = 0;
  Metrics values = {};
  std::vector<double> rates = {};  ///< of each optimizer
};

/// What came of a batch.
struct BatchOutcome {
  std::vector<bool> stepped = {};  ///< of each optimizer: an accumulation window closed with its step
  bool skip_epoch = false;         ///< a hook asked to leave out this batch and the rest of the epoch
  int64_t samples = 0;

  [[nodiscard]] bool step_done() const { return std::ranges::find(stepped, true) != stepped.end(); }
};

/// Everything that belongs to one run. build.cpp makes it; the loops move it forward; hooks see it through a
/// Context.
struct Run {
  // Settled before the first batch.
  config::RunSpec spec;
  std::string resolved_config;
  schedule::Plan plan;
  RunInfo info;
  torch::Device device = torch::kCPU;

  // Who takes part.
  std::shared_ptr<Module> model;
  std::optional<data::Loader> train_loader;
  std::optional<data::Loader> val_loader;
  std::optional<data::Loader> test_loader;
  std::vector<std::unique_ptr<Callback>> callbacks;
  std::vector<std::unique_ptr<loggers::Logger>> loggers;
  std::vector<ActiveOptimizer> optimizers;
  std::vector<int64_t> frequencies;  ///< of the optimizers
  std::unique_ptr<Trace> trace;
  std::unique_ptr<Profiler> profiler;
  std::unique_ptr<support::StopSignals> signals;

  // Progress.
  state::RunState state;
  MetricStore metrics;
  Requests requests;
  std::optional<BatchOutcome> uncounted;  ///< of a batch that is trained, and not in `state` yet
  std::string stop_reason;
  bool warned_of_loss = false;  ///< that is not finite, and so on
  bool warned_of_clip = false;
  bool warned_of_weights = false;
  int64_t skips_reported = 0;
  int64_t validations = 0;              ///< completed in this process
  std::optional<int64_t> validated_at;  ///< batches_seen, before the batch at hand, at the last one
  std::optional<LoggedRow> kept_row;    ///< of the last step, until it is logged
  bool between_cuts = false;            ///< weights have changed since the last place where a save is right
  std::optional<int64_t> saved_at;      ///< batches_seen at the last save
  std::string failure_place;            ///< after an exception: where the run was
  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point train_started = started;

  // Where the loop is right now.
  Stage stage = Stage::setting_up;
  const Batch* batch = nullptr;
  int64_t val_batch_idx = 0;

  std::unique_ptr<Context::Impl> context_impl;
  std::unique_ptr<EventBus> bus;

  /// Makes the bus; callbacks, model, trace and profiler are in place.
  void connect();

  [[nodiscard]] TracePosition position() const;

  /// How a message about a setting begins: "a.yaml:3:5: trainer.max_epochs: ".
  [[nodiscard]] std::string at_setting(std::string_view path) const;

  /// A signal asks the run to end.
  [[nodiscard]] bool interrupted() const { return signals && signals->received(); }

  /// Writes one row to every logger: what the optimizer step `step` (from 0) measured.
  void log_row(int64_t step, const Metrics& metrics);

  /// The learning rate of each optimizer's first parameter group.
  [[nodiscard]] std::vector<double> learning_rates() const;
};

}  // namespace lightrun::engine

/// What a Context sees: the run.
class lightrun::Context::Impl {
 public:
  explicit Impl(engine::Run& run_) : run(run_) {}
  engine::Run& run;
};
