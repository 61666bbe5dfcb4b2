// The probe of the recorded Lightning runs (tests/oracle/README.md), as a plugin.
//
// Two float32 parameters w = [1, 1] and v = [1, 1]. Train batch i (from 0) is one sample full([2], (i + 1) /
// 10), never shuffled; the loss is sum(x * w). With T time steps a batch is [1, T, 2].

#include <lightrun/lightrun.hpp>

#include <torch/optim/lbfgs.h>
#include <torch/optim/sgd.h>

#include <cmath>
#include <fstream>
#include <limits>

namespace {

using lightrun::Batch;
using lightrun::Context;
using lightrun::StepInfo;
using lightrun::StepResult;

/// Batches `first` to `first + count - 1`, [count, 2]; with `time_steps` (0: none) [count, time_steps, 2].
torch::Tensor batches(int64_t first, int64_t count, int64_t time_steps) {
  const auto column = torch::arange(first + 1, first + count + 1, torch::kFloat32).div(10);
  if (time_steps == 0) return column.view({count, 1}).expand({count, 2}).contiguous();
  return column.view({count, 1, 1}).expand({count, time_steps, 2}).contiguous();
}

/// Has no length and never ends.
class EndlessStream : public lightrun::IterableDataset {
 public:
  explicit EndlessStream(int64_t time_steps) : time_steps_(time_steps) {}
  void reset(int64_t /*epoch*/) override { next_ = 0; }
  std::optional<Batch> next() override { return Batch{{"x", batches(next_++, 1, time_steps_)}}; }

 private:
  int64_t time_steps_;
  int64_t next_ = 0;
};

/// Leaves its optimizer to the config; OwnOptimizers below brings it along.
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
        {"T", 0, "time steps of a batch; 0: none"},
        {"tbptt", false, "training_step takes hiddens"},
        {"stream", false, "the training data has no length and never ends"},
        {"two", false, "two optimizers: 0 over w, 1 over v"},
        {"freq", lightrun::ParamValue(Integers{}), "their frequencies"},
        {"lbfgs", false, "LBFGS(lr 0.01, max_iter 3) instead of SGD"},
        {"sched_interval", "none", "StepLR(step_size 1, gamma 0.5) at `epoch` or `step`"},
        {"sched_frequency", 1, "at every n-th of them"},
        {"nan_at", 0, "the k-th training_step (from 1) answers NaN"},
        {"skip_at", lightrun::ParamValue(Integers{}), "[epoch, batch] where on_batch_start skips the epoch"},
        {"splits_file", "", "where the length of each split is written, and whether hiddens came with it"}};
  }

  explicit Probe(const lightrun::Params& params)
      : params_(params),
        time_steps_(params.get<int64_t>("T")),
        vals_(params.get<std::vector<double>>("vals")),
        skip_at_(params.get<std::vector<int64_t>>("skip_at")) {
    w_ = register_parameter("w", torch::ones(2));
    v_ = register_parameter("v", torch::ones(2));
    const auto splits_file = params.get<std::string>("splits_file");
    if (!splits_file.empty()) splits_.open(splits_file);
  }

  StepResult training_step(const Batch& batch, const StepInfo& info) override {
    const auto& x = batch["x"];
    if (splits_.is_open()) {
      splits_ << R"({"split_len": )" << x.size(1) << R"(, "hiddens": )"
              << (info.hiddens.isNone() ? "false" : "true") << "}\n"
              << std::flush;
    }
    auto loss = (x * (info.optimizer_idx == 1 ? v_ : w_)).sum();
    if (++steps_ == params_.get<int64_t>("nan_at")) loss = loss * std::numeric_limits<float>::quiet_NaN();
    if (params_.get<bool>("tbptt")) return {loss, torch::zeros(1)};
    return loss;
  }

  void validation_step(const Batch& /*batch*/, const StepInfo& /*info*/) override {
    const auto run = static_cast<std::size_t>(validations_);
    log("val_loss", run < vals_.size() ? vals_[run] : 1.0);
  }

  lightrun::DataLoader train_dataloader() override {
    if (params_.get<bool>("stream")) return std::make_shared<EndlessStream>(time_steps_);
    return in_order(params_.get<int64_t>("nb"));
  }
  lightrun::DataLoader val_dataloader() override {
    return params_.get<bool>("val") ? in_order(params_.get<int64_t>("nv")) : lightrun::DataLoader();
  }

  void on_batch_start(Context& context) override {
    if (skip_at_.size() == 2 && context.epoch() == skip_at_[0] && context.batch_idx() == skip_at_[1]) {
      context.skip_epoch();
    }
  }

  void validation_epoch_end(Context& /*context*/) override { ++validations_; }

 protected:
  [[nodiscard]] const lightrun::Params& params() const { return params_; }
  [[nodiscard]] const torch::Tensor& w() const { return w_; }
  [[nodiscard]] const torch::Tensor& v() const { return v_; }

 private:
  [[nodiscard]] lightrun::DataLoader in_order(int64_t count) const {
    lightrun::DataLoader loader(
        std::make_shared<lightrun::TensorDataset>(Batch{{"x", batches(0, count, time_steps_)}}));
    loader.batch_size = 1;
    loader.shuffle = false;
    return loader;
  }

  lightrun::Params params_;
  int64_t time_steps_;
  std::vector<double> vals_;
  std::vector<int64_t> skip_at_;
  std::ofstream splits_;
  torch::Tensor w_;
  torch::Tensor v_;
  int64_t steps_ = 0;
  int64_t validations_ = 0;
};

class OwnOptimizers : public Probe {
 public:
  using Probe::Probe;

  lightrun::Optimizers configure_optimizers() override {
    lightrun::Optimizers optimizers;
    if (params().get<bool>("two")) {
      optimizers.add(setup_of({w()}, 0));
      optimizers.add(setup_of({v()}, 1));
    } else {
      optimizers.add(setup_of({w(), v()}, 0));
    }
    return optimizers;
  }

 private:
  [[nodiscard]] lightrun::OptimizerSetup setup_of(std::vector<torch::Tensor> parameters,
                                                  std::size_t index) const {
    lightrun::OptimizerSetup setup{.optimizer = optimizer(std::move(parameters))};
    const auto frequencies = params().get<std::vector<int64_t>>("freq");
    if (index < frequencies.size()) setup.frequency = frequencies[index];
    const auto interval = params().get<std::string>("sched_interval");
    if (interval == "none") return setup;
    setup.schedule = {
        .rate = [](double base, int64_t count) { return base * std::pow(0.5, static_cast<double>(count)); },
        .interval =
            interval == "step" ? lightrun::LrSchedule::Interval::step : lightrun::LrSchedule::Interval::epoch,
        .frequency = params().get<int64_t>("sched_frequency")};
    return setup;
  }

  [[nodiscard]] std::unique_ptr<torch::optim::Optimizer> optimizer(
      std::vector<torch::Tensor> parameters) const {
    if (!params().get<bool>("lbfgs")) return std::make_unique<torch::optim::SGD>(std::move(parameters), 0.01);
    return std::make_unique<torch::optim::LBFGS>(std::move(parameters),
                                                 torch::optim::LBFGSOptions(0.01).max_iter(3));
  }
};

template <typename Base>
class WithStepEnd : public Base {
 public:
  using Base::Base;
  StepResult training_step_end(StepResult result, const StepInfo& /*info*/) override { return result; }
};

template <typename Base>
class WithEpochEnd : public Base {
 public:
  using Base::Base;
  void training_epoch_end(Context& /*context*/) override {}
};

}  // namespace

// A hook counts as overridden by the class's type, so each combination is a class.
LIGHTRUN_MODEL(OwnOptimizers, "probe", "The probe of the recorded Lightning runs");
LIGHTRUN_MODEL(WithStepEnd<OwnOptimizers>, "probe_step_end", "... with training_step_end");
LIGHTRUN_MODEL(WithEpochEnd<OwnOptimizers>, "probe_epoch_end", "... with training_epoch_end");
LIGHTRUN_MODEL(WithEpochEnd<WithStepEnd<OwnOptimizers>>, "probe_step_end_epoch_end", "... with both");
LIGHTRUN_MODEL(Probe, "configured_probe", "The probe with the config's optimizer");
LIGHTRUN_MODEL(WithStepEnd<Probe>, "configured_probe_step_end", "... with training_step_end");
LIGHTRUN_MODEL(WithEpochEnd<Probe>, "configured_probe_epoch_end", "... with training_epoch_end");
LIGHTRUN_MODEL(WithEpochEnd<WithStepEnd<Probe>>, "configured_probe_step_end_epoch_end", "... with both");
