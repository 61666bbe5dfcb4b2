// Tables: predicts numbers or a class from the columns of any csv file.
//
// The data's own description says what the network looks like: how many numeric columns there are, which
// categories get an embedding, and whether the target is numbers (mean squared error) or classes
// (cross-entropy).

#include <lightrun/lightrun.hpp>

#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace nn = torch::nn;

namespace {

/// Wide enough for its categories, as fastai recommends: min(600, 1.6 n^0.56).
int64_t embedding_width(int64_t categories) {
  return std::min<int64_t>(600,
                           static_cast<int64_t>(1.6 * std::pow(static_cast<double>(categories), 0.56) + 0.5));
}

class Tabular : public lightrun::Module {
 public:
  static lightrun::ParamDecls parameters() {
    return {
        lightrun::ParamDecl("hidden", std::vector<int64_t>{64, 32}, "units of each hidden layer")
            .range(1, 65536),
        lightrun::ParamDecl("dropout", 0.0, "share of the hidden units left out in training").range(0, 0.9),
    };
  }

  explicit Tabular(const lightrun::Params& params) {
    const lightrun::DataInfo& data = params.data();
    const lightrun::FieldInfo& target = data.at("target");
    is_classification_ = target.classes > 0;
    const int64_t outputs = is_classification_ ? target.classes : target.shape.empty() ? 1 : target.shape[0];
    int64_t width = 0;
    if (const auto* numbers = data.find("features")) width += numbers->size(0);
    if (const auto* categories = data.find("categories")) {
      for (const int64_t count : categories->column_classes) {
        const int64_t columns = embedding_width(count);
        embeddings_->push_back(nn::Embedding(count, columns));
        width += columns;
      }
    }
    if (width == 0)
      throw lightrun::ConfigError("model tabular: the data has neither features nor categories");
    for (const int64_t units : params.get<std::vector<int64_t>>("hidden")) {
      net_->push_back(nn::Linear(width, units));
      net_->push_back(nn::ReLU());
      net_->push_back(nn::Dropout(params.get<double>("dropout")));
      width = units;
    }
    net_->push_back(nn::Linear(width, outputs));
    register_module("embeddings", embeddings_);
    register_module("net", net_);
  }

  lightrun::StepResult training_step(const lightrun::Batch& batch,
                                     const lightrun::StepInfo& /*info*/) override {
    return loss(forward(batch), batch["target"]);
  }
  void validation_step(const lightrun::Batch& batch, const lightrun::StepInfo& /*info*/) override {
    measure(batch, "val");
  }
  void test_step(const lightrun::Batch& batch, const lightrun::StepInfo& /*info*/) override {
    measure(batch, "test");
  }

  /// Of classes: the most likely one, and how likely each is; of numbers: the numbers.
  lightrun::Batch predict_step(const lightrun::Batch& batch, const lightrun::StepInfo& /*info*/) override {
    const torch::Tensor output = forward(batch);
    if (!is_classification_) return {{"prediction", output}};
    return {{"prediction", output.argmax(1)}, {"probability", output.softmax(1)}};
  }

 private:
  /// [N, outputs].
  torch::Tensor forward(const lightrun::Batch& batch) {
    std::vector<torch::Tensor> columns;
    if (batch.contains("features")) columns.push_back(batch["features"]);
    for (std::size_t i = 0; i < embeddings_->size(); ++i) {
      columns.push_back(embeddings_[i]->as<nn::Embedding>()->forward(
          batch["categories"].select(1, static_cast<int64_t>(i))));
    }
    return net_->forward(torch::cat(columns, 1));
  }

  torch::Tensor loss(const torch::Tensor& output, const torch::Tensor& target) const {
    return is_classification_ ? torch::cross_entropy_loss(output, target)
                              : torch::mse_loss(output, target.view_as(output));
  }

  void measure(const lightrun::Batch& batch, const std::string& part) {
    const torch::Tensor output = forward(batch);
    const torch::Tensor target = batch["target"];
    log(part + "_loss", loss(output, target));
    if (is_classification_)
      log(part + "_acc", output.argmax(1).eq(target).to(torch::kFloat).mean(), {.prog_bar = true});
    else
      log(part + "_mae", torch::l1_loss(output, target.view_as(output)), {.prog_bar = true});
  }

  bool is_classification_ = false;
  nn::ModuleList embeddings_;
  nn::Sequential net_;
};

}  // namespace

LIGHTRUN_MODEL(Tabular, "tabular", "Tables: regression or classification from the columns of a csv file");
