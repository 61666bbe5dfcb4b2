#include "engine/tiny_run.hpp"
#include "support/catch.hpp"

#include <torch/nn/modules/linear.h>

using namespace lightrun;
using config::Precision;

namespace {

/// Notes the types a step sees.
class Typed : public Module {
 public:
  Typed() { layer = register_module("layer", torch::nn::Linear(2, 1)); }

  StepResult training_step(const Batch& batch, const StepInfo& /*info*/) override {
    input = batch["x"].scalar_type();
    const auto answer = layer->forward(batch["x"]);
    output = answer.scalar_type();
    return answer.sum();
  }
  void validation_step(const Batch& batch, const StepInfo& /*info*/) override {
    validated = layer->forward(batch["x"]).scalar_type();
  }
  void on_train_batch_end(Context& /*context*/) override {
    outside = layer->forward(torch::zeros({1, 2}, layer->weight.scalar_type())).scalar_type();
  }
  DataLoader train_dataloader() override {
    return std::make_shared<TensorDataset>(
        Batch{{"x", torch::ones({4, 2})}, {"label", torch::ones({4}, torch::kInt64)}});
  }
  DataLoader val_dataloader() override { return train_dataloader(); }
  Optimizers configure_optimizers() override {
    return std::make_unique<torch::optim::SGD>(parameters(), 0.1);
  }

  torch::nn::Linear layer{nullptr};
  torch::ScalarType input{}, output{}, validated{}, outside{};
};

}  // namespace

TEST_CASE("precision bf16 casts inside the steps only; weights and gradients stay float32") {
  const auto model = make_module<Typed>();
  test::fit(model, {.max_epochs = 1, .precision = Precision::bfloat16});
  CHECK(model->input == torch::kFloat32);
  CHECK(model->output == torch::kBFloat16);
  CHECK(model->validated == torch::kBFloat16);
  CHECK(model->outside == torch::kFloat32);
  CHECK(model->layer->weight.scalar_type() == torch::kFloat32);
}

TEST_CASE("precision 64 hands out floating fields in double precision, and whole numbers as they are") {
  const auto model = make_module<Typed>();
  model->to(torch::kFloat64);
  test::fit(model, {.max_epochs = 1, .precision = Precision::float64});
  CHECK(model->input == torch::kFloat64);
  CHECK(model->output == torch::kFloat64);
}

TEST_CASE("precision 32 leaves everything as it is") {
  const auto model = make_module<Typed>();
  test::fit(model, {.max_epochs = 1});
  CHECK(model->output == torch::kFloat32);
  CHECK(model->validated == torch::kFloat32);
}
