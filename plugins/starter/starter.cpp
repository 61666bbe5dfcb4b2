// The smallest complete model: a perceptron for `features` and a class as `target`. `lightrun new` begins
// with it.
//
// A model is one class: its constructor takes the config's `model.params` and what is known of the data, and
// registers the layers; training_step answers the loss of a batch; validation_step logs what matters. The
// last line offers it by name. Loops, data, optimizers and checkpoints are lightrun's.

#include <lightrun/lightrun.hpp>

#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <string>

namespace nn = torch::nn;

namespace {

class Starter : public lightrun::Module {
 public:
  static lightrun::ParamDecls parameters() {
    return {lightrun::ParamDecl("hidden", 32, "units of the hidden layer").range(1, 65536)};
  }

  explicit Starter(const lightrun::Params& params) {
    const auto hidden = params.get<int64_t>("hidden");
    const int64_t inputs = params.data().at("features").size(0);
    const int64_t classes = params.data().at("target").classes;
    if (classes == 0)
      throw lightrun::ConfigError(
          "data.train: this model wants classes as target: whole numbers from 0 on, or a column that is "
          "listed in `categorical`");
    net_ = nn::Sequential(nn::Linear(inputs, hidden), nn::ReLU(), nn::Linear(hidden, classes));
    register_module("net", net_);
  }

  lightrun::StepResult training_step(const lightrun::Batch& batch,
                                     const lightrun::StepInfo& /*info*/) override {
    return torch::cross_entropy_loss(net_->forward(batch["features"]), batch["target"]);
  }

  void validation_step(const lightrun::Batch& batch, const lightrun::StepInfo& /*info*/) override {
    measure(batch, "val");
  }
  void test_step(const lightrun::Batch& batch, const lightrun::StepInfo& /*info*/) override {
    measure(batch, "test");
  }

  lightrun::Batch predict_step(const lightrun::Batch& batch, const lightrun::StepInfo& /*info*/) override {
    return {{"prediction", net_->forward(batch["features"]).argmax(1)}};
  }

 private:
  void measure(const lightrun::Batch& batch, const std::string& part) {
    const torch::Tensor logits = net_->forward(batch["features"]);
    log(part + "_loss", torch::cross_entropy_loss(logits, batch["target"]));
    log(part + "_acc", logits.argmax(1).eq(batch["target"]).to(torch::kFloat).mean(), {.prog_bar = true});
  }

  nn::Sequential net_;
};

}  // namespace

LIGHTRUN_MODEL(Starter, "starter", "A perceptron for features and a class: the example to begin with");
