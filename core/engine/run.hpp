#pragma once

#include "config/run_spec.hpp"
#include "data/loader.hpp"
#include "engine/event_bus.hpp"
#include "engine/metric_store.hpp"
#include "engine/profiler.hpp"
#include "engine/save_thread.hpp"
#include "engine/trace.hpp"
#include "loggers/logger.hpp"
#include "optim/flat_parameters.hpp"
#include "optim/gradients.hpp"
#include "schedule/plan.hpp"
#include "sources/config_data.hpp"
#include "state/checkpoint.hpp"
#include "state/run_state.hpp"
#include "support/line_printer.hpp"
#include "support/run_lock.hpp"
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
#include <mutex>
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
  std::unique_ptr<optim::FlatParameters> flat = nullptr;  ///< null: it steps parameter by parameter

  /// All parameters, in as few tensors as there can be.
  [[nodiscard]] const std::vector<torch::Tensor>& tensors() const {
    return flat ? flat->tensors() : parameters;
  }
  [[nodiscard]] bool evaluates_loss() const { return setup.evaluates_loss; }
};

/// Under which name a parameter group's options keep the group's rate before any schedule, as in PyTorch.
inline constexpr const char* kBaseRate = "initial_lr";

/// Parameters that the model does not register are called after their place in the optimizers.
inline constexpr std::string_view kOutside = "outside the model: ";
[[nodiscard]] inline bool is_outside(std::string_view name) {
  return name.starts_with(kOutside);
}

/// What the screen says while a batch is read.
inline constexpr std::string_view kWaitsForData = "waiting for data";

/// A checkpoint that was asked for.
struct SaveRequest {
  std::string name;                        ///< of the file, without ".ckpt"
  std::vector<std::string> replaces = {};  ///< files beside it that are deleted once it is written
};

/// What a run saves without being asked by a hook.
struct SavePolicy {
  bool at_stop = true;  ///< last.ckpt where the run ends, but for the next two
  bool on_signal = true;
  bool on_exception = true;
};

/// What hooks have asked for and the engine has not done yet.
struct Requests {
  std::optional<std::string> stop;
  bool stop_is_granted = false;
  bool skip_epoch = false;
  std::vector<SaveRequest> saves;  ///< each name once
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
  std::optional<sources::ConfigData> config_data;
  std::optional<data::Loader> train_loader;
  std::optional<data::Loader> val_loader;
  std::optional<data::Loader> test_loader;
  std::optional<data::Loader> predict_loader;
  std::shared_ptr<std::mutex> reading_turn = std::make_shared<std::mutex>();  ///< of these loaders
  std::vector<std::unique_ptr<Callback>> callbacks;
  std::vector<std::unique_ptr<loggers::Logger>> loggers;
  std::vector<ActiveOptimizer> optimizers;
  std::vector<int64_t> frequencies;  ///< of the optimizers
  bool logs_rates = true;            ///< in the rows of steps; false: a callback does
  bool schedules_rest = false;       ///< a callback sets the rates
  std::unique_ptr<Trace> trace;
  std::unique_ptr<Profiler> profiler;
  std::unique_ptr<support::StopSignals> signals;
  support::LinePrinter* screen = nullptr;  ///< is told what the run waits for; null: nobody is

  // Progress: what a resumed run must know is in `state` and `metrics`; what is beside them concerns this
  // process only.
  state::RunState state;
  MetricStore metrics;
  loggers::Histograms gradient_histograms;  ///< of the step at hand, until they are logged
  Requests requests;
  std::string stop_reason;
  bool warned_of_loss = false;  ///< that is not finite, and so on
  bool warned_of_clip = false;
  bool warned_of_weights = false;
  bool warned_of_stream = false;
  int64_t skips_reported = 0;
  int64_t batches_here = 0;   ///< trained by this process
  std::string failure_place;  ///< after an exception: where the run was
  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();

  // Checkpoints.
  std::optional<support::RunLock> lock;  ///< of the run's folder
  SavePolicy save_policy;
  std::string run_id;                             ///< which run this is, also after a resume
  std::optional<state::Checkpoint> resumes_from;  ///< until it is restored
  std::string resumed_path;                       ///< its file; "" in a new run
  /// The run stops here. What is saved from now on is of this instant: a resumed run goes on as if this one
  /// had not ended.
  std::optional<state::Instant> resting;
  bool between_cuts = false;             ///< weights have changed since the last place where a save is right
  std::optional<int64_t> last_saved_at;  ///< state.instant() in last.ckpt
  std::vector<SaveRequest> saving;       ///< what the saving thread was given last
  int64_t saving_bytes = 0;              ///< how much that is, of each
  std::unique_ptr<SaveThread> save_thread;

  // Where the loop is right now.
  Stage stage = Stage::setting_up;
  const Batch* batch = nullptr;
  int64_t val_batch_idx = 0;
  bool epoch_is_cut_short = false;  ///< its ending hooks are called though batches of it are left

  std::unique_ptr<Context::Impl> context_impl;
  std::unique_ptr<EventBus> bus;

  /// Makes the bus; callbacks, model, trace and profiler are in place.
  void connect();

  [[nodiscard]] TracePosition position() const;

  /// `val_batch_idx` counts now: it validates, tests or predicts.
  [[nodiscard]] bool evaluates() const;

  /// How a message about a setting begins: "a.yaml:3:5: trainer.max_epochs: ".
  [[nodiscard]] std::string at_setting(std::string_view path) const;

  /// Seconds of training, over all processes of a resumed run.
  [[nodiscard]] double seconds() const;

  /// A signal asks the run to end.
  [[nodiscard]] bool interrupted() const { return signals && signals->received(); }

  /// Writes one row to every logger: what the optimizer step `step` (from 0) measured.
  void log_row(int64_t step, const Metrics& metrics);

  /// The learning rate of each optimizer's first parameter group.
  [[nodiscard]] std::vector<double> learning_rates() const;
  /// That of each optimizer's every parameter group.
  [[nodiscard]] std::vector<std::vector<double>> group_rates() const;
};

}  // namespace lightrun::engine

/// What a Context sees: the run.
class lightrun::Context::Impl {
 public:
  explicit Impl(engine::Run& run_) : run(run_) {}
  engine::Run& run;
};
