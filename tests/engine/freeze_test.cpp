#include "engine/tiny_run.hpp"
#include "engine/weight_callbacks.hpp"
#include "support/catch.hpp"

#include <torch/nn/modules/batchnorm.h>

using namespace lightrun;
using namespace lightrun::test;
using Numbers = std::vector<double>;

namespace {

/// Two weights whose gradients are 1, and a batch norm.
class Parts : public Module {
 public:
  Parts() {
    head = register_parameter("head", torch::zeros({1}));
    body = register_parameter("body", torch::zeros({1}));
    norm = register_module("norm", torch::nn::BatchNorm1d(torch::nn::BatchNormOptions(1)));
  }
  StepResult training_step(const Batch& batch, const StepInfo& /*info*/) override {
    return (head + body).sum() + 0 * norm->forward(batch["x"]).sum();
  }
  DataLoader train_dataloader() override {
    return std::make_shared<TensorDataset>(Batch{{"x", torch::tensor({{1.F}, {3.F}})}});
  }
  Optimizers configure_optimizers() override {
    return std::make_unique<torch::optim::SGD>(parameters(), torch::optim::SGDOptions(1).weight_decay(0.5));
  }
  torch::Tensor head, body;
  torch::nn::BatchNorm1d norm{nullptr};
};

/// Values of body after each epoch.
Numbers bodies(const std::shared_ptr<Parts>& model, int64_t epochs, const config::FreezeSpec& spec) {
  auto run = make_run(model, {.max_epochs = epochs});
  run->callbacks.push_back(engine::make_freeze(*run, spec, "callbacks.0"));
  Numbers values;
  record(*run).at = [&](Event event, Context&) {
    if (event == Event::on_train_epoch_end) values.push_back(model->body.item<double>());
  };
  engine::fit(*run);
  return values;
}

std::string refusal(const std::string& pattern) {
  try {
    auto run = make_run(make_module<Parts>(), {});
    static_cast<void>(engine::make_freeze(*run, {.params = pattern}, "callbacks.0"));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("frozen parameters stay, without weight decay too, and are trained from exactly their epoch on") {
  const auto model = make_module<Parts>();
  {
    const at::NoGradGuard no_grad;
    model->body.fill_(2);
  }
  // From epoch 2 on: 2 - (1 + 0.5 * 2) = 0.
  CHECK(bodies(model, 3, {.params = "bod", .until_epoch = 2}) == Numbers{2, 2, 0});
  CHECK(model->body.requires_grad());
}

TEST_CASE("without an end they are never trained") {
  const auto model = make_module<Parts>();
  CHECK(bodies(model, 2, {.params = "body"}) == Numbers{0, 0});
  CHECK_FALSE(model->body.requires_grad());
  CHECK(model->head.item<double>() == -1.5);
}

TEST_CASE("a frozen batch norm keeps its statistics, and has them again afterwards") {
  const auto model = make_module<Parts>();
  static_cast<void>(bodies(model, 2, {.params = "^norm"}));
  CHECK(model->norm->running_mean.item<float>() == 0);
  CHECK_FALSE(model->norm->is_training());
  const auto released = make_module<Parts>();
  static_cast<void>(bodies(released, 2, {.params = "^norm", .until_epoch = 1}));
  CHECK(released->norm->running_mean.item<float>() == Approx(0.2));
  CHECK(released->norm->is_training());
  // Half of it is not frozen.
  const auto half = make_module<Parts>();
  static_cast<void>(bodies(half, 1, {.params = "norm.bias"}));
  CHECK(half->norm->running_mean.item<float>() == Approx(0.2));
}

TEST_CASE("what the model has frozen itself stays frozen when the rest is released") {
  const auto model = make_module<Parts>();
  model->head.set_requires_grad(false);
  model->norm->eval();
  static_cast<void>(bodies(model, 2, {.params = "head|norm", .until_epoch = 1}));
  CHECK_FALSE(model->head.requires_grad());
  CHECK_FALSE(model->norm->is_training());
  CHECK(model->norm->weight.requires_grad());
}

TEST_CASE("a pattern that fits nothing, or everything, is an error with names") {
  CHECK(
      refusal("boddy") ==
      "callbacks.0.params: 'boddy' is in no parameter's name; there are head, body, norm.weight, norm.bias");
  CHECK(refusal(".") == "callbacks.0.params: '.' is in every parameter's name: nothing would be trained");
}
