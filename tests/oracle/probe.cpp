// The probe of the recorded Lightning runs (tests/oracle/README.md), as a plugin.
//
// Two float32 parameters w = [1, 1] and v = [1, 1]. Train batch i (from 0) is one sample full([2], (i + 1) /
// 10), never shuffled; the loss is sum(x * w). Every hook is overridden, as in the recording.

#include <lightrun/lightrun.hpp>

#include <torch/optim/sgd.h>

#include <cmath>
#include <limits>

namespace {

using lightrun::Batch;
using lightrun::Context;
using lightrun::StepInfo;
using lightrun::StepResult;

Batch samples(int64_t count) {
  const auto x =
      torch::arange(1, count + 1, torch::kFloat32).div(10).unsqueeze(1).expand({count, 2}).contiguous();
  return {{"x", x}};
}

class Probe : public lightrun::Module {
 public:
  static lightrun::ParamDecls parameters() {
    using Doubles = std::vector<double>;
    using Integers = std::vector<int64_t>;
    return {
        {"nb", 3, "training batches"},
        {"nv", 2, "validation batches"},
        {"val", true, "whether there is validation data"},
        {"vals", lightrun::ParamValue(Doubles{}), "val_loss of each validation; else 1"},
        {"two", false, "two optimizers: 0 over w, 1 over v"},
        {"freq", lightrun::ParamValue(Integers{}), "their frequencies"},
        {"sched_interval", "none", "StepLR(step_size 1, gamma 0.5) at `epoch` or `step`"},
        {"sched_frequency", 1, "at every n-th of them"},
        {"nan_at", 0, "the k-th training_step (from 1) answers NaN"},
        {"skip_at", lightrun::ParamValue(Integers{}), "[epoch, batch] where on_batch_start skips the epoch"}};
  }

  explicit Probe(const lightrun::Params& params)
      : nb_(params.get<int64_t>("nb")),
        nv_(params.get<int64_t>("nv")),
        has_val_(params.get<bool>("val")),
        vals_(params.get<std::vector<double>>("vals")),
        two_(params.get<bool>("two")),
        freq_(params.get<std::vector<int64_t>>("freq")),
        sched_interval_(params.get<std::string>("sched_interval")),
        sched_frequency_(params.get<int64_t>("sched_frequency")),
        nan_at_(params.get<int64_t>("nan_at")),
        skip_at_(params.get<std::vector<int64_t>>("skip_at")) {
    w_ = register_parameter("w", torch::ones(2));
    v_ = register_parameter("v", torch::ones(2));
  }

  StepResult training_step(const Batch& batch, const StepInfo& info) override {
    const auto loss = (batch["x"] * (info.optimizer_idx == 1 ? v_ : w_)).sum();
    return ++steps_ == nan_at_ ? loss * std::numeric_limits<float>::quiet_NaN() : loss;
  }

  void validation_step(const Batch& /*batch*/, const StepInfo& /*info*/) override {
    const auto run = static_cast<std::size_t>(validations_);
    log("val_loss", run < vals_.size() ? vals_[run] : 1.0);
  }

  lightrun::DataLoader train_dataloader() override { return in_order(nb_); }
  lightrun::DataLoader val_dataloader() override { return has_val_ ? in_order(nv_) : lightrun::DataLoader(); }

  lightrun::Optimizers configure_optimizers() override {
    lightrun::Optimizers optimizers;
    if (two_) {
      optimizers.add(sgd({w_}, 0));
      optimizers.add(sgd({v_}, 1));
    } else {
      optimizers.add(sgd({w_, v_}, 0));
    }
    return optimizers;
  }

  void on_batch_start(Context& context) override {
    if (skip_at_.size() == 2 && context.epoch() == skip_at_[0] && context.batch_idx() == skip_at_[1]) {
      context.skip_epoch();
    }
  }

  void validation_epoch_end(Context& /*context*/) override { ++validations_; }

 private:
  static lightrun::DataLoader in_order(int64_t count) {
    lightrun::DataLoader loader(std::make_shared<lightrun::TensorDataset>(samples(count)));
    loader.batch_size = 1;
    loader.shuffle = false;
    return loader;
  }

  [[nodiscard]] lightrun::OptimizerSetup sgd(std::vector<torch::Tensor> parameters, std::size_t index) const {
    lightrun::OptimizerSetup setup{.optimizer =
                                       std::make_unique<torch::optim::SGD>(std::move(parameters), 0.01)};
    if (index < freq_.size()) setup.frequency = freq_[index];
    if (sched_interval_ != "none") {
      setup.schedule = {
          .rate = [](double base, int64_t count) { return base * std::pow(0.5, static_cast<double>(count)); },
          .interval = sched_interval_ == "step" ? lightrun::LrSchedule::Interval::step
                                                : lightrun::LrSchedule::Interval::epoch,
          .frequency = sched_frequency_};
    }
    return setup;
  }

  int64_t nb_;
  int64_t nv_;
  bool has_val_;
  std::vector<double> vals_;
  bool two_;
  std::vector<int64_t> freq_;
  std::string sched_interval_;
  int64_t sched_frequency_;
  int64_t nan_at_;
  std::vector<int64_t> skip_at_;
  torch::Tensor w_;
  torch::Tensor v_;
  int64_t steps_ = 0;
  int64_t validations_ = 0;
};

/// The probe that overrides training_step_end and training_epoch_end too.
class ProbeWithEnds : public Probe {
 public:
  using Probe::Probe;
  StepResult training_step_end(StepResult result, const StepInfo& /*info*/) override { return result; }
  void training_epoch_end(Context& /*context*/) override {}
};

}  // namespace

LIGHTRUN_MODEL(Probe, "probe", "The probe of the recorded Lightning runs");
LIGHTRUN_MODEL(ProbeWithEnds, "probe_with_ends", "The probe with training_step_end and training_epoch_end");
