// Models for the tests of resuming: the probes of the field reports, and a net whose every part has a state.

#include <lightrun/lightrun.hpp>

#include <torch/nn/functional/dropout.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/rnn.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

lightrun::DataLoader in_order(const torch::Tensor& rows, const char* name) {
  lightrun::DataLoader loader(std::make_shared<lightrun::TensorDataset>(lightrun::Batch{{name, rows}}));
  loader.batch_size = 1;
  loader.shuffle = false;
  return loader;
}

/// P-LIN(batches), or with `ones` P-ONE; P-VAL with `val_losses`. The gradient of batch i is i + 1, or 1.
class Probe : public lightrun::Module {
 public:
  static lightrun::ParamDecls parameters() {
    return {
        {"batches", 5, "batches an epoch"},
        {"ones", false, "every gradient is 1"},
        {"val_losses", std::vector<double>(), "val_loss of each validation of the run; none: no validation"},
        {"buffer_mb", 0, "size of a buffer that comes along"},
        {"hidden", 3, "units of a layer that comes along"},
        {"extra_layer", true, "another layer comes along"},
        {"sleep_ms", 0, "how long a batch takes"}};
  }

  explicit Probe(const lightrun::Params& params)
      : batches_(params.get<int64_t>("batches")),
        ones_(params.get<bool>("ones")),
        val_losses_(params.get<std::vector<double>>("val_losses")),
        sleep_(params.get<int64_t>("sleep_ms")) {
    w_ = register_parameter("w", torch::zeros({1}, torch::kFloat64));
    register_module("layer", torch::nn::Linear(2, params.get<int64_t>("hidden")));
    if (params.get<bool>("extra_layer")) register_module("extra", torch::nn::Linear(2, 2));
    const int64_t megabytes = params.get<int64_t>("buffer_mb");
    if (megabytes > 0) register_buffer("ballast", torch::rand({megabytes, 1 << 18}));
  }

  lightrun::StepResult training_step(const lightrun::Batch& batch,
                                     const lightrun::StepInfo& /*info*/) override {
    std::this_thread::sleep_for(sleep_);
    return (batch["gradient"] * w_).sum();
  }

  void validation_step(const lightrun::Batch& /*batch*/, const lightrun::StepInfo& /*info*/) override {
    log("val_loss", val_losses_.at(static_cast<std::size_t>(validations_)));
  }
  void on_validation_end(lightrun::Context& context) override {
    if (!context.interrupted()) ++validations_;
  }

  void save_state(lightrun::StateDict& state) const override { state.set("validations", validations_); }
  void load_state(const lightrun::StateDict& state) override {
    validations_ = state.get<int64_t>("validations");
  }

  lightrun::DataLoader train_dataloader() override {
    const auto gradients = torch::arange(1, batches_ + 1, torch::kFloat64).unsqueeze(1);
    return in_order(ones_ ? torch::ones_like(gradients) : gradients, "gradient");
  }
  lightrun::DataLoader val_dataloader() override {
    return val_losses_.empty() ? lightrun::DataLoader() : in_order(torch::zeros({1, 1}), "x");
  }

 private:
  int64_t batches_;
  bool ones_;
  std::vector<double> val_losses_;
  std::chrono::milliseconds sleep_;
  int64_t validations_ = 0;
  torch::Tensor w_;
};

/// P-RNG(samples): shuffled, with dropout; appends the ids it sees, an epoch a line, to `ids_file`.
class Shuffled : public lightrun::Module {
 public:
  static lightrun::ParamDecls parameters() {
    return {{"samples", 20, "number of samples"}, {"ids_file", "ids.txt", "where the ids go"}};
  }

  explicit Shuffled(const lightrun::Params& params)
      : samples_(params.get<int64_t>("samples")), ids_file_(params.get<std::string>("ids_file")) {
    w_ = register_parameter("w", torch::ones({4}, torch::kFloat64));
  }

  lightrun::StepResult training_step(const lightrun::Batch& batch, const lightrun::StepInfo& info) override {
    std::ofstream ids(ids_file_, std::ios::app);
    if (info.batch_idx == 0) ids << "\nepoch " << info.epoch << ":";
    const torch::Tensor seen = batch["id"];
    for (int64_t i = 0; i < seen.size(0); ++i) ids << ' ' << seen[i].item<int64_t>();
    const auto kept = torch::nn::functional::dropout(w_, torch::nn::functional::DropoutFuncOptions().p(0.5));
    return (kept * kept).sum() * 0.1 * (1 + seen.to(torch::kFloat64).sum() * 0.01);
  }

  lightrun::DataLoader train_dataloader() override {
    return std::make_shared<lightrun::TensorDataset>(lightrun::Batch{{"id", torch::arange(samples_)}});
  }

 private:
  int64_t samples_;
  std::string ids_file_;
  torch::Tensor w_;
};

/// An LSTM of two layers with dropout between them, which foretells the sum of what it has read so far.
class TbpttLstm : public lightrun::Module {
 public:
  static lightrun::ParamDecls parameters() {
    return {{"samples", 60, "training sequences"}, {"steps", 9, "of each sequence"}, {"hidden", 8, "units"}};
  }

  explicit TbpttLstm(const lightrun::Params& params)
      : samples_(params.get<int64_t>("samples")), steps_(params.get<int64_t>("steps")) {
    const int64_t hidden = params.get<int64_t>("hidden");
    lstm_ = register_module(
        "lstm",
        torch::nn::LSTM(torch::nn::LSTMOptions(1, hidden).num_layers(2).dropout(0.2).batch_first(true)));
    out_ = register_module("out", torch::nn::Linear(hidden, 1));
  }

  lightrun::StepResult training_step(const lightrun::Batch& batch, const lightrun::StepInfo& info) override {
    torch::optional<std::tuple<torch::Tensor, torch::Tensor>> before;
    if (info.hiddens.isTuple()) {
      const auto& pair = info.hiddens.toTupleRef().elements();
      before = std::tuple(pair[0].toTensor(), pair[1].toTensor());
    }
    auto [answers, after] = lstm_->forward(batch["x"], before);
    const auto loss = torch::mse_loss(out_->forward(answers), batch["y"]);
    log("train_mae", (out_->forward(answers) - batch["y"]).abs().mean(), {.on_step = true, .on_epoch = true});
    return {loss, c10::ivalue::Tuple::create({std::get<0>(after), std::get<1>(after)})};
  }

  void validation_step(const lightrun::Batch& batch, const lightrun::StepInfo& /*info*/) override {
    log("val_loss", torch::mse_loss(out_->forward(std::get<0>(lstm_->forward(batch["x"]))), batch["y"]));
  }

  lightrun::DataLoader train_dataloader() override { return sequences(samples_, 1); }
  lightrun::DataLoader val_dataloader() override { return sequences(10, 2); }

 private:
  [[nodiscard]] lightrun::DataLoader sequences(int64_t count, int64_t offset) const {
    const auto x = torch::sin(torch::arange(count * steps_, torch::kFloat32).view({count, steps_, 1}) *
                              static_cast<double>(offset) * 0.37);
    return std::make_shared<lightrun::TensorDataset>(lightrun::Batch{{"x", x}, {"y", x.cumsum(1)}});
  }

  int64_t samples_;
  int64_t steps_;
  torch::nn::LSTM lstm_{nullptr};
  torch::nn::Linear out_{nullptr};
};

}  // namespace

LIGHTRUN_MODEL(Probe, "probe", "P-LIN, P-ONE and P-VAL of the field reports");
LIGHTRUN_MODEL(Shuffled, "shuffled", "P-RNG of the field reports");
LIGHTRUN_MODEL(TbpttLstm, "tbptt_lstm", "A small LSTM for truncated backpropagation");
