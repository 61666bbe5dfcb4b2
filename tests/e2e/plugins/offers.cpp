// A library without a model: a source of data and a callback.

#include <lightrun/lightrun.hpp>

#include <string>

namespace {

/// Gradients 1, 2, ... for the probe of resumable.cpp.
class Ramp : public lightrun::TensorDataset {
 public:
  static lightrun::ParamDecls parameters() {
    return {lightrun::ParamDecl("count", 4, "how many").range(1, 1000),
            lightrun::ParamDecl("start", 1.0, "the first")};
  }
  explicit Ramp(const lightrun::Params& params)
      : TensorDataset(lightrun::Batch{
            {"gradient",
             (torch::arange(params.get<int64_t>("count"), torch::kFloat64) + params.get<double>("start"))
                 .unsqueeze(1)}}) {}
};

/// Numbers of LibTorch's own generator.
class Noise : public lightrun::TensorDataset {
 public:
  explicit Noise(const lightrun::Params& /*params*/)
      : TensorDataset(lightrun::Batch{{"gradient", torch::randn({1, 1}, torch::kFloat64)}}) {}
};

/// Stops after a number of steps.
class Stopper : public lightrun::Callback {
 public:
  static lightrun::ParamDecls parameters() { return {{"after", 2, "optimizer steps"}}; }
  explicit Stopper(const lightrun::Params& params) : after_(params.get<int64_t>("after")) {}

  void on_train_batch_end(lightrun::Context& context) override {
    if (context.steps_done() >= after_) context.request_stop("stopper: that is enough");
  }

 private:
  int64_t after_;
};

}  // namespace

LIGHTRUN_SOURCE(Ramp, "ramp", "The numbers from a start on, one a sample");
LIGHTRUN_SOURCE(Noise, "noise", "A random number");
LIGHTRUN_CALLBACK(Stopper, "stopper", "Stops after some steps");
