#include "engine/rehearsal.hpp"

#include "engine/build.hpp"
#include "engine/fit_loop.hpp"
#include "engine/forward_precision.hpp"
#include "engine/module_modes.hpp"
#include "engine/optimizers.hpp"

#include <lightrun/error.hpp>
#include <lightrun/make.hpp>

#include <ATen/core/grad_mode.h>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>
#include <torch/optim/sgd.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <utility>
#include <variant>

namespace lightrun::engine {
namespace {

/// What of the real model decides which hooks are called.
struct Role {
  EventSet overrides = {};
  std::vector<OptimizerSetup> optimizers = {};  ///< without the optimizers themselves
  std::size_t splits = 1;                       ///< of a batch
  /// What it logs: 1 where higher is better, else -1.
  std::map<std::string, double> training_metrics = {};
  std::map<std::string, double> validation_metrics = {};
};

/// Has no layers, no data, and every hook of the one it stands for.
class StandIn : public Module {
 public:
  explicit StandIn(Role role) : role_(std::move(role)) {
    for (std::size_t i = 0; i < role_.optimizers.size(); ++i)
      weights_.push_back(register_parameter(fmt::format("w{}", i), torch::zeros({1})));
    EventSet overrides = role_.overrides;
    overrides.insert(Event::configure_optimizers);
    set_overrides(overrides);
  }

  StepResult training_step(const Batch& /*batch*/, const StepInfo& info) override {
    log_all(role_.training_metrics);
    return weights_[static_cast<std::size_t>(info.optimizer_idx)].sum();
  }
  void validation_step(const Batch& /*batch*/, const StepInfo& /*info*/) override {
    log_all(role_.validation_metrics);
  }
  std::vector<Batch> tbptt_split_batch(const Batch& batch, int64_t /*split_size*/) override {
    return std::vector<Batch>(role_.splits, batch);
  }

  Optimizers configure_optimizers() override {
    Optimizers optimizers;
    for (std::size_t i = 0; i < role_.optimizers.size(); ++i) {
      const OptimizerSetup& real = role_.optimizers[i];
      optimizers.add({.optimizer = std::make_unique<torch::optim::SGD>(std::vector{weights_[i]},
                                                                       torch::optim::SGDOptions(0)),
                      .schedule = real.schedule,
                      .frequency = real.frequency});
    }
    return optimizers;
  }

 private:
  /// Better each time.
  void log_all(const std::map<std::string, double>& metrics) {
    ++steps_;
    for (const auto& [name, direction] : metrics) log(name, direction * steps_);
  }

  Role role_;
  std::vector<torch::Tensor> weights_;
  double steps_ = 0;
};

struct FirstEpochIsOver {};

/// Ends the rehearsal.
class OneEpoch : public Callback {
 public:
  void on_epoch_start(Context& context) override {
    if (context.epoch() > 0) throw FirstEpochIsOver();
  }
};

std::map<std::string, double> watched_metrics(const Run& run) {
  std::map<std::string, double> metrics;
  for (const auto& callback : run.spec.callbacks) {
    std::visit(
        [&]([[maybe_unused]] const auto& spec) {
          if constexpr (requires { spec.monitor; }) {
            const std::optional<std::string> name = spec.monitor;
            if (name) metrics[*name] = spec.mode == config::Mode::max ? 1 : -1;
          }
        },
        callback);
  }
  for (const auto& active : run.optimizers) {
    const auto& schedule = active.setup.schedule;
    if (schedule && schedule->plateau)
      metrics[schedule->plateau->monitor] = schedule->plateau->higher_is_better ? 1 : -1;
  }
  std::erase_if(metrics, [](const auto& each) { return each.first.starts_with("train_loss"); });
  return metrics;
}

/// Names of what the model logs for the first validation batch.
std::vector<std::string> logged_in_validation(Run& run) {
  if (!run.plan.validates()) return {};
  run.val_loader->start_epoch(0, 1);
  const auto batch = run.val_loader->next();
  if (!batch) return {};
  const EvalMode eval_mode(*run.model);
  const at::NoGradGuard no_grad;
  run.metrics.begin_batch(MetricStore::Scope::validation, batch->size());
  run.model->validation_step(on_device(run, *batch), {});
  std::vector<std::string> names;
  for (const auto& [name, value] : run.metrics.end_epoch(MetricStore::Scope::validation, false))
    names.push_back(name);
  return names;
}

std::size_t splits_of_first_batch(Run& run) {
  const auto size = run.spec.trainer.truncated_bptt_steps;
  if (!size) return 1;
  run.train_loader->start_epoch(0, run.plan.train_batches);
  const auto batch = run.train_loader->next();
  return batch ? run.model->tbptt_split_batch(*batch, *size).size() : 1;
}

Role role_of(Run& run) {
  Role role{.overrides = run.model->overrides(),
            .splits = splits_of_first_batch(run),
            .training_metrics = watched_metrics(run)};
  for (const std::string& name : logged_in_validation(run)) {
    const auto watched = role.training_metrics.extract(name);
    role.validation_metrics.emplace(name, watched ? watched.mapped() : -1);
  }
  for (const auto& active : run.optimizers)
    role.optimizers.push_back({.schedule = active.setup.schedule, .frequency = active.setup.frequency});
  return role;
}

data::Loader loader_of(const Run& run, std::optional<int64_t> batches, data::Loader::Purpose purpose) {
  if (batches == 0) return {DataLoader(), run.spec.data, purpose, run.spec.seed};
  DataLoader description = std::make_shared<TensorDataset>(Batch{{"x", torch::zeros({*batches, 1})}});
  description.batch_size = 1;
  return {std::move(description), run.spec.data, purpose, run.spec.seed};
}

/// Puts the stand-in into the run, with as many batches.
void recast(Run& run) {
  auto role = role_of(run);
  run.optimizers.clear();
  run.frequencies.clear();
  run.model = std::make_shared<StandIn>(std::move(role));
  run.train_loader.emplace(loader_of(run, run.plan.train_batches, data::Loader::Purpose::train));
  run.val_loader.emplace(loader_of(run, run.plan.val_batches, data::Loader::Purpose::validate));
  run.spec.trainer.reload_dataloaders_every_n_epochs = 0;
  run.callbacks.push_back(make_callback<OneEpoch>());
  run.model->set_metric_sink(&run.metrics);
}

/// Where the rehearsal's checkpoints go.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_((std::filesystem::temp_directory_path() / "lightrun-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr)
      throw RunError(path_ + ": cannot be made: " + std::strerror(errno));
  }
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The calls up to the end of the first epoch, which is where the file is cut.
std::vector<HookCall> first_epoch_of(const std::filesystem::path& file) {
  std::vector<HookCall> calls;
  std::ifstream lines(file);
  std::uintmax_t bytes = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line);
    HookCall call{.who = json.at("who"),
                  .hook = json.at("hook"),
                  .epoch = json.at("epoch"),
                  .batch_idx = json.at("batch_idx")};
    if (call.epoch > 0) break;
    calls.push_back(std::move(call));
    bytes += line.size() + 1;
  }
  std::filesystem::resize_file(file, bytes);
  return calls;
}

/// Nothing is printed, nothing written, and no metric ends the run.
RunRequest for_rehearsal(RunRequest request) {
  request.dry = request.quiet = true;
  request.trace.reset();
  request.spec.trainer.enable_progress_bar = false;
  for (auto& callback : request.spec.callbacks) {
    const bool decides = std::holds_alternative<config::ModelCheckpointSpec>(callback) ||
                         std::holds_alternative<config::EarlyStoppingSpec>(callback);
    // Others are about the real weights. This one has nothing to do, and the rest keep their numbers.
    if (!decides) callback = config::AccumulationSchedulerSpec();
    auto* early_stopping = std::get_if<config::EarlyStoppingSpec>(&callback);
    if (early_stopping == nullptr) continue;
    early_stopping->patience = std::numeric_limits<int64_t>::max();
    early_stopping->stopping_threshold.reset();
    early_stopping->divergence_threshold.reset();
  }
  return request;
}

/// No warning of the rehearsal is one of the run's.
class Silence {
 public:
  Silence() : level_(spdlog::get_level()) { spdlog::set_level(spdlog::level::off); }
  ~Silence() { spdlog::set_level(level_); }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  spdlog::level::level_enum level_;
};

}  // namespace

std::vector<HookCall> rehearse(RunRequest request, support::LinePrinter& printer,
                               const std::optional<std::filesystem::path>& file) {
  const Silence silence;
  const TemporaryFolder folder;
  const auto run = build(for_rehearsal(std::move(request)), printer);
  if (!run->plan.train_batches || !run->plan.val_batches)
    throw RunError("--hooks: the data is a stream, and how many batches it has nobody knows");
  configure_optimizers(*run);
  recast(*run);
  if (run->spec.trainer.enable_checkpointing) run->info.checkpoint_dir = folder.path();
  const std::filesystem::path path = file.value_or(folder.path() + "/trace.jsonl");
  run->trace = std::make_unique<Trace>(path);
  run->connect();
  try {
    fit(*run);
  } catch (const FirstEpochIsOver&) {  // as it should be
  }
  run->trace.reset();
  return first_epoch_of(path);
}

}  // namespace lightrun::engine
