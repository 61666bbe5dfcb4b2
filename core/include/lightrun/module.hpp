#pragma once

#include <lightrun/batch.hpp>
#include <lightrun/context.hpp>
#include <lightrun/data.hpp>
#include <lightrun/event.hpp>
#include <lightrun/export.hpp>
#include <lightrun/log_options.hpp>
#include <lightrun/optimizers.hpp>
#include <lightrun/state_dict.hpp>
#include <lightrun/step.hpp>

#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace lightrun {

/// Where a module's log() goes; the engine sets it for the time of a run.
class LIGHTRUN_API MetricSink {
 public:
  virtual ~MetricSink();
  virtual void log(std::string_view name, const torch::Tensor& value, const LogOptions& options) = 0;
  virtual void log(std::string_view name, double value, const LogOptions& options) = 0;
};

/// A model and what is done with it. Derive, register layers and parameters as in any torch::nn::Module, and
/// override training_step; everything else has a default. The loop's order is written out in event.hpp.
class LIGHTRUN_API Module : public torch::nn::Module {
 public:
  ~Module() override;

  // -- the steps

  /// Loss of one batch (of one split of it, for one optimizer). Runs in training mode, with gradients.
  [[nodiscard]] virtual StepResult training_step(const Batch& batch, const StepInfo& info) = 0;

  /// Last word on what training_step answered.
  [[nodiscard]] virtual StepResult training_step_end(StepResult result, const StepInfo& info);

  /// Measures one validation batch: log() what matters. Runs in eval mode, without gradients. A model that
  /// does not override it is not validated.
  virtual void validation_step(const Batch& batch, const StepInfo& info);

  /// Measures one batch of `lightrun test`, likewise.
  virtual void test_step(const Batch& batch, const StepInfo& info);

  /// What `lightrun predict` writes of one batch: tensors of a row a sample, alike in all batches
  /// (README, "Predictions": names that mean something). Runs in eval mode, without gradients.
  [[nodiscard]] virtual Batch predict_step(const Batch& batch, const StepInfo& info);

  // -- data and optimizers; asked once, or every trainer.reload_dataloaders_every_n_epochs

  [[nodiscard]] virtual DataLoader train_dataloader();
  [[nodiscard]] virtual DataLoader val_dataloader();
  [[nodiscard]] virtual DataLoader test_dataloader();
  /// Default: the test data.
  [[nodiscard]] virtual DataLoader predict_dataloader();

  /// Optimizers over this module's parameters, in the order `optimizer_idx` counts. Default: none, the
  /// config's `optimizer:` and `scheduler:` are used.
  [[nodiscard]] virtual Optimizers configure_optimizers();

  // -- the work of a step; override to do it differently

  /// Default: `loss.backward()`. `loss` is already divided for its accumulation window.
  virtual void backward(const torch::Tensor& loss, const StepInfo& info);
  /// Default: `optimizer.step(closure)`. `closure` is empty, but for an optimizer that evaluates the loss
  /// itself (OptimizerSetup::evaluates_loss): there it clears the gradients, runs training_step and backward,
  /// and answers the loss.
  virtual void optimizer_step(torch::optim::Optimizer& optimizer,
                              const torch::optim::Optimizer::LossClosure& closure, const StepInfo& info);
  /// Default: `optimizer.zero_grad()`.
  virtual void optimizer_zero_grad(torch::optim::Optimizer& optimizer, const StepInfo& info);
  /// Cuts a batch into splits of `split_size` time steps. Default: along dimension 1 of every tensor field
  /// that has one, and of every tensor in a list along dimension 0; throws RunError where two fields differ
  /// in length.
  [[nodiscard]] virtual std::vector<Batch> tbptt_split_batch(const Batch& batch, int64_t split_size);

  // -- what a checkpoint keeps of it beside parameters, buffers, their requires_grad and the modules' modes

  /// Puts into `state` what a resumed run must give back to it: counters, generators of its own. Default:
  /// nothing.
  virtual void save_state(StateDict& /*state*/) const {}
  /// Takes back what save_state has put there, before on_load_checkpoint.
  virtual void load_state(const StateDict& /*state*/) {}

  // -- notifications, all empty by default: on_fit_start(Context&), on_train_epoch_end(Context&), ...

#define LIGHTRUN_MODULE_VIRTUAL(name) \
  virtual void name(Context& /*context*/) {}
#define LIGHTRUN_MODULE_VIRTUAL_both(name) LIGHTRUN_MODULE_VIRTUAL(name)
#define LIGHTRUN_MODULE_VIRTUAL_callback(name) LIGHTRUN_MODULE_VIRTUAL(name)
#define LIGHTRUN_MODULE_VIRTUAL_model(name) LIGHTRUN_MODULE_VIRTUAL(name)
#define LIGHTRUN_MODULE_VIRTUAL_summary(name) LIGHTRUN_MODULE_VIRTUAL(name)
#define LIGHTRUN_MODULE_VIRTUAL_work(name)
#define LIGHTRUN_MODULE_HOOK(name, who) LIGHTRUN_MODULE_VIRTUAL_##who(name)
  LIGHTRUN_HOOKS(LIGHTRUN_MODULE_HOOK)
#undef LIGHTRUN_MODULE_HOOK
#undef LIGHTRUN_MODULE_VIRTUAL_both
#undef LIGHTRUN_MODULE_VIRTUAL_callback
#undef LIGHTRUN_MODULE_VIRTUAL_model
#undef LIGHTRUN_MODULE_VIRTUAL_summary
#undef LIGHTRUN_MODULE_VIRTUAL_work
#undef LIGHTRUN_MODULE_VIRTUAL

  // -- set by lightrun

  /// The hooks this module's class overrides; make_module() fills this in.
  [[nodiscard]] const EventSet& overrides() const {
    return overrides_;
  }
  void set_overrides(const EventSet& overrides) {
    overrides_ = overrides;
  }

  /// The sink lives until it is replaced by another or by nullptr.
  void set_metric_sink(MetricSink* sink) {
    sink_ = sink;
  }

 protected:
  /// Logs a metric: a scalar tensor (kept without its graph and read only when needed) or a number. Outside a
  /// run it does nothing.
  void log(std::string_view name, const torch::Tensor& value, const LogOptions& options = {});
  void log(std::string_view name, double value, const LogOptions& options = {});

 private:
  EventSet overrides_ = EventSet::all();
  MetricSink* sink_ = nullptr;
};

}  // namespace lightrun
