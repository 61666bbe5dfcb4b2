// Handwritten digits, 8x8 pixels, read by a perceptron or by a small convolutional network.
//
// This is the example to copy. A model is one class: its constructor takes the config's `model.params` and
// registers the layers; training_step answers the loss of a batch; validation_step logs what matters; two
// hooks give the data. LIGHTRUN_MODEL offers it by name: `model: {plugin: digits}`. Loops, optimizers and
// checkpoints are lightrun's. A library may offer data and callbacks too; here LIGHTRUN_SOURCE offers the
// digits.

#include "digits_data.hpp"

#include <lightrun/lightrun.hpp>

#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/pooling.h>

#include <memory>
#include <string>
#include <vector>

namespace nn = torch::nn;

namespace {

constexpr int64_t kClasses = 10;

/// Share of the rows of logits [N, 10] that are highest at their label.
torch::Tensor accuracy(const torch::Tensor& logits, const torch::Tensor& labels) {
  return logits.argmax(1).eq(labels).to(torch::kFloat).mean();
}

/// Fields image [N, 1, 8, 8] and label [N] of `train`, `validation` or `test`.
lightrun::Batch fields_of(const digits::Data& data, const std::string& part) {
  const digits::Part& samples = part == "train" ? data.train : part == "test" ? data.test : data.validation;
  return {{"image", samples.images}, {"label", samples.labels}};
}

/// The same data for any model that takes images: `data: {train: {source: plugin, name: digits}}`.
class DigitsSource : public lightrun::TensorDataset {
 public:
  static lightrun::ParamDecls parameters() {
    return {lightrun::ParamDecl("part", "train", "which samples").one_of({"train", "validation", "test"})};
  }

  explicit DigitsSource(const lightrun::Params& params)
      : TensorDataset(
            fields_of(digits::read_data(params.resource("digits.bin")), params.get<std::string>("part"))) {}

  lightrun::DataInfo describe() override {
    lightrun::DataInfo info = TensorDataset::describe();
    for (auto& field : info.fields) {
      if (field.name == "label") field.classes = kClasses;
    }
    return info;
  }
};

class Digits : public lightrun::Module {
 public:
  static lightrun::ParamDecls parameters() {
    return {
        lightrun::ParamDecl("arch", "mlp", "kind of network").one_of({"mlp", "cnn"}),
        lightrun::ParamDecl("hidden", std::vector<int64_t>{256, 128}, "units of each hidden layer")
            .range(1, 4096),
        lightrun::ParamDecl("dropout", 0.3, "share of the hidden units left out in training").range(0, 0.9),
    };
  }

  explicit Digits(const lightrun::Params& params) : data_(digits::read_data(params.resource("digits.bin"))) {
    int64_t features = 64;
    if (params.get<std::string>("arch") == "cnn") features = add_convolutions();
    net_->push_back(nn::Flatten());
    for (const int64_t units : params.get<std::vector<int64_t>>("hidden")) {
      net_->push_back(nn::Linear(features, units));
      net_->push_back(nn::BatchNorm1d(units));
      net_->push_back(nn::ReLU());
      net_->push_back(nn::Dropout(params.get<double>("dropout")));
      features = units;
    }
    net_->push_back(nn::Linear(features, kClasses));
    register_module("net", net_);
  }

  lightrun::StepResult training_step(const lightrun::Batch& batch, const lightrun::StepInfo& info) override {
    // Batch normalisation cannot train on one image. An empty result skips such a last batch.
    if (batch.size() == 1 && info.batch_idx > 0) return {};
    return torch::cross_entropy_loss(net_->forward(batch["image"]), batch["label"]);
  }

  void validation_step(const lightrun::Batch& batch, const lightrun::StepInfo& /*info*/) override {
    measure(batch, "val");
  }
  void test_step(const lightrun::Batch& batch, const lightrun::StepInfo& /*info*/) override {
    measure(batch, "test");
  }

  /// The most likely digit, and how likely each is.
  lightrun::Batch predict_step(const lightrun::Batch& batch, const lightrun::StepInfo& /*info*/) override {
    const torch::Tensor probability = net_->forward(batch["image"]).softmax(1);
    return {{"prediction", probability.argmax(1)}, {"probability", probability}};
  }

  lightrun::DataLoader train_dataloader() override { return dataset("train"); }
  lightrun::DataLoader val_dataloader() override { return dataset("validation"); }
  lightrun::DataLoader test_dataloader() override { return dataset("test"); }

 private:
  void measure(const lightrun::Batch& batch, const std::string& part) {
    const torch::Tensor logits = net_->forward(batch["image"]);
    log(part + "_loss", torch::cross_entropy_loss(logits, batch["label"]));
    log(part + "_acc", accuracy(logits, batch["label"]), {.prog_bar = true});
  }

  /// Appends two convolutions, [N, 1, 8, 8] -> [N, 32, 4, 4]; answers the number of features.
  int64_t add_convolutions() {
    net_->push_back(nn::Conv2d(nn::Conv2dOptions(1, 16, 3).padding(1)));
    net_->push_back(nn::ReLU());
    net_->push_back(nn::Conv2d(nn::Conv2dOptions(16, 32, 3).padding(1)));
    net_->push_back(nn::ReLU());
    net_->push_back(nn::MaxPool2d(2));
    return int64_t{32} * 4 * 4;
  }

  [[nodiscard]] std::shared_ptr<lightrun::Dataset> dataset(const std::string& part) const {
    return std::make_shared<lightrun::TensorDataset>(fields_of(data_, part));
  }

  digits::Data data_;
  nn::Sequential net_;
};

}  // namespace

LIGHTRUN_MODEL(Digits, "digits",
               "Handwritten digits, 8x8 pixels: a perceptron or a small convolutional network");
LIGHTRUN_SOURCE(DigitsSource, "digits", "Handwritten digits, 8x8: fields image [1, 8, 8] and label");
