#include <lightrun/lightrun.hpp>

#include <torch/nn/modules/linear.h>

namespace {

/// [N, 3] to [N, width], by one linear layer.
class Good : public lightrun::Module {
 public:
  explicit Good(const lightrun::Params& params)
      : layer_(register_module("layer", torch::nn::Linear(3, params.get<int64_t>("width")))) {}

  static lightrun::ParamDecls parameters() { return {{"width", 4, "outputs of the layer"}}; }

  lightrun::StepResult training_step(const lightrun::Batch& batch, const lightrun::StepInfo&) override {
    return layer_->forward(batch["x"]).square().mean();
  }

 private:
  torch::nn::Linear layer_;
};

}  // namespace

LIGHTRUN_MODEL(Good, "good", "One linear layer");
