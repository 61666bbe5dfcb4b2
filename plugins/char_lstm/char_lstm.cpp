// An LSTM that writes text one character after the other, trained by truncated back-propagation through time.
//
// Shows hiddens: training_step answers the LSTM's state beside the loss, and finds it again, detached, in
// info.hiddens when the next piece of the same sequences comes (trainer.truncated_bptt_steps). predict_step
// goes on with each sequence of the data.

#include <lightrun/lightrun.hpp>

#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/rnn.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

namespace nn = torch::nn;

namespace {

using State = std::tuple<torch::Tensor, torch::Tensor>;

class CharLstm : public lightrun::Module {
 public:
  static lightrun::ParamDecls parameters() {
    return {
        lightrun::ParamDecl("embedding", 32, "numbers that stand for a character").range(1, 4096),
        lightrun::ParamDecl("hidden", 128, "units of each layer").range(1, 65536),
        lightrun::ParamDecl("layers", 1, "LSTM layers").range(1, 16),
        lightrun::ParamDecl("dropout", 0.0, "share left out between layers and before the last one")
            .range(0, 0.9),
        lightrun::ParamDecl("predict_length", 200, "characters that predict writes").range(1, 1000000),
        lightrun::ParamDecl("temperature", 0.7, "of predict: lower is safer, 0 always takes the likeliest")
            .range(0, 10),
    };
  }

  explicit CharLstm(const lightrun::Params& params)
      : vocabulary_(params.data().at("tokens").labels),
        embedding_(static_cast<int64_t>(vocabulary_.size()), params.get<int64_t>("embedding")),
        lstm_(nn::LSTMOptions(params.get<int64_t>("embedding"), params.get<int64_t>("hidden"))
                  .num_layers(params.get<int64_t>("layers"))
                  .dropout(params.get<int64_t>("layers") > 1 ? params.get<double>("dropout") : 0)
                  .batch_first(true)),
        dropout_(params.get<double>("dropout")),
        head_(params.get<int64_t>("hidden"), static_cast<int64_t>(vocabulary_.size())),
        predict_length_(params.get<int64_t>("predict_length")),
        temperature_(params.get<double>("temperature")) {
    register_module("embedding", embedding_);
    register_module("lstm", lstm_);
    register_module("dropout", dropout_);
    register_module("head", head_);
  }

  lightrun::StepResult training_step(const lightrun::Batch& batch, const lightrun::StepInfo& info) override {
    const auto [logits, state] = forward(batch["tokens"], info.hiddens);
    lightrun::StepResult result(loss(logits, batch["target"]),
                                c10::ivalue::Tuple::create({std::get<0>(state), std::get<1>(state)}));
    result.weight = static_cast<double>(batch["target"].numel());
    return result;
  }
  void validation_step(const lightrun::Batch& batch, const lightrun::StepInfo& /*info*/) override {
    measure(batch, "val");
  }
  void test_step(const lightrun::Batch& batch, const lightrun::StepInfo& /*info*/) override {
    measure(batch, "test");
  }

  /// `text`: what follows each sequence, as UTF-8 bytes [N, L], zeros at the end.
  lightrun::Batch predict_step(const lightrun::Batch& batch, const lightrun::StepInfo& /*info*/) override {
    auto [logits, state] = forward(batch["tokens"], {});
    std::vector<std::string> texts(static_cast<std::size_t>(batch.size()));
    for (int64_t i = 0; i < predict_length_; ++i) {
      const torch::Tensor next = choose(logits.select(1, logits.size(1) - 1));
      for (std::size_t n = 0; n < texts.size(); ++n)
        texts[n] += vocabulary_[static_cast<std::size_t>(next[static_cast<int64_t>(n)].item<int64_t>())];
      std::tie(logits, state) = step(next.unsqueeze(1), state);
    }
    return {{"text", as_bytes(texts)}};
  }

 private:
  std::tuple<torch::Tensor, State> step(const torch::Tensor& tokens, const State& state) {
    auto [output, next] = lstm_->forward(embedding_->forward(tokens), state);
    return {head_->forward(dropout_->forward(output)), next};
  }

  /// Logits [N, T, characters], and the state after them.
  std::tuple<torch::Tensor, State> forward(const torch::Tensor& tokens, const c10::IValue& hiddens) {
    if (hiddens.isTuple()) {
      const auto& parts = hiddens.toTupleRef().elements();
      return step(tokens, {parts[0].toTensor(), parts[1].toTensor()});
    }
    const auto& options = lstm_->options;
    const auto zeros = torch::zeros({options.num_layers(), tokens.size(0), options.hidden_size()},
                                    head_->weight.options().requires_grad(false));
    return step(tokens, {zeros, zeros});
  }

  static torch::Tensor loss(const torch::Tensor& logits, const torch::Tensor& target) {
    return torch::cross_entropy_loss(logits.flatten(0, 1), target.flatten());
  }

  void measure(const lightrun::Batch& batch, const std::string& part) {
    const torch::Tensor value = loss(std::get<0>(forward(batch["tokens"], {})), batch["target"]);
    log(part + "_loss", value, {.prog_bar = true});
  }

  /// One character a row, never the one that stands for those the training has not seen.
  torch::Tensor choose(torch::Tensor logits) const {
    if (vocabulary_.front() == "\xef\xbf\xbd") logits.select(1, 0).fill_(-1e9);
    if (temperature_ == 0) return logits.argmax(1);
    return torch::multinomial((logits / temperature_).softmax(1), 1).squeeze(1);
  }

  static torch::Tensor as_bytes(const std::vector<std::string>& texts) {
    std::size_t longest = 1;
    for (const std::string& text : texts) longest = std::max(longest, text.size());
    auto bytes =
        torch::zeros({static_cast<int64_t>(texts.size()), static_cast<int64_t>(longest)}, torch::kUInt8);
    for (std::size_t n = 0; n < texts.size(); ++n)
      std::memcpy(bytes[static_cast<int64_t>(n)].data_ptr<uint8_t>(), texts[n].data(), texts[n].size());
    return bytes;
  }

  std::vector<std::string> vocabulary_;
  nn::Embedding embedding_;
  nn::LSTM lstm_;
  nn::Dropout dropout_;
  nn::Linear head_;
  int64_t predict_length_;
  double temperature_;
};

}  // namespace

LIGHTRUN_MODEL(CharLstm, "char_lstm",
               "Text, character by character: an LSTM with truncated back-propagation through time");
