// A small GPT: a transformer that only looks back, over characters or bytes.
//
// Shows a model of several modules, parameter groups by name in the config (no weight decay for biases and
// norms), warm-up with a cosine, and bf16 by `trainer.precision`.

#include <lightrun/lightrun.hpp>

#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace nn = torch::nn;

namespace {

struct Shape {
  int64_t tokens, length, width, heads;
  double dropout;
};

/// Attention and a feed-forward net, each on normalized inputs and added to them (GPT-2).
class BlockImpl : public nn::Module {
 public:
  explicit BlockImpl(const Shape& shape)
      : heads_(shape.heads),
        norm_1_(nn::LayerNormOptions({shape.width})),
        norm_2_(nn::LayerNormOptions({shape.width})),
        qkv_(shape.width, 3 * shape.width),
        attention_out_(shape.width, shape.width),
        wide_(shape.width, 4 * shape.width),
        narrow_(4 * shape.width, shape.width),
        dropout_(shape.dropout) {
    register_module("norm_1", norm_1_);
    register_module("qkv", qkv_);
    register_module("attention_out", attention_out_);
    register_module("norm_2", norm_2_);
    register_module("wide", wide_);
    register_module("narrow", narrow_);
    register_module("dropout", dropout_);
  }

  /// @param x [N, T, width]
  /// @param mask [T, T], true where a token must not look
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& mask) {
    const torch::Tensor with_attention = x + dropout_->forward(attend(norm_1_->forward(x), mask));
    return with_attention +
           dropout_->forward(narrow_->forward(torch::gelu(wide_->forward(norm_2_->forward(with_attention)))));
  }

 private:
  torch::Tensor attend(const torch::Tensor& x, const torch::Tensor& mask) {
    const int64_t n = x.size(0), t = x.size(1), width = x.size(2);
    // [3, N, heads, T, width / heads]
    const auto parts = qkv_->forward(x).view({n, t, 3, heads_, width / heads_}).permute({2, 0, 3, 1, 4});
    const auto scores =
        parts[0].matmul(parts[1].transpose(2, 3)) / std::sqrt(static_cast<double>(width / heads_));
    const auto weights =
        scores.masked_fill(mask, -std::numeric_limits<float>::infinity()).softmax(-1).to(parts.dtype());
    const auto mixed = dropout_->forward(weights).matmul(parts[2]);
    return attention_out_->forward(mixed.transpose(1, 2).reshape({n, t, width}));
  }

  int64_t heads_;
  nn::LayerNorm norm_1_, norm_2_;
  nn::Linear qkv_, attention_out_, wide_, narrow_;
  nn::Dropout dropout_;
};
TORCH_MODULE(Block);

class TinyGpt : public lightrun::Module {
 public:
  static lightrun::ParamDecls parameters() {
    return {
        lightrun::ParamDecl("width", 64, "numbers that stand for a token; a multiple of heads")
            .range(1, 65536),
        lightrun::ParamDecl("heads", 4, "attention heads").range(1, 256),
        lightrun::ParamDecl("layers", 2, "blocks").range(1, 256),
        lightrun::ParamDecl("dropout", 0.1, "share left out in training").range(0, 0.9),
        lightrun::ParamDecl("predict_length", 100, "tokens that predict writes").range(1, 1000000),
        lightrun::ParamDecl("temperature", 0.8, "of predict: lower is safer, 0 always takes the likeliest")
            .range(0, 10),
    };
  }

  explicit TinyGpt(const lightrun::Params& params)
      : predict_length_(params.get<int64_t>("predict_length")),
        temperature_(params.get<double>("temperature")) {
    const lightrun::FieldInfo& tokens = params.data().at("tokens");
    const Shape shape{tokens.classes, tokens.size(0), params.get<int64_t>("width"),
                      params.get<int64_t>("heads"), params.get<double>("dropout")};
    if (shape.width % shape.heads != 0)
      throw lightrun::ConfigError("model.params.width: must be a multiple of heads (" +
                                  std::to_string(shape.heads) + ")");
    length_ = shape.length;
    vocabulary_ = tokens.labels;
    token_embedding_ = register_module("token_embedding", nn::Embedding(shape.tokens, shape.width));
    place_embedding_ = register_module("place_embedding", nn::Embedding(shape.length, shape.width));
    dropout_ = register_module("dropout", nn::Dropout(shape.dropout));
    for (int64_t i = 0; i < params.get<int64_t>("layers"); ++i) blocks_->push_back(Block(shape));
    register_module("blocks", blocks_);
    norm_ = register_module("norm", nn::LayerNorm(nn::LayerNormOptions({shape.width})));
    head_ = register_module("head", nn::Linear(nn::LinearOptions(shape.width, shape.tokens).bias(false)));
    initialize();
  }

  lightrun::StepResult training_step(const lightrun::Batch& batch,
                                     const lightrun::StepInfo& /*info*/) override {
    return loss(batch);
  }
  void validation_step(const lightrun::Batch& batch, const lightrun::StepInfo& /*info*/) override {
    log("val_loss", loss(batch), {.prog_bar = true});
  }
  void test_step(const lightrun::Batch& batch, const lightrun::StepInfo& /*info*/) override {
    log("test_loss", loss(batch));
  }

  /// `tokens` [N, predict_length]: what follows each sequence; `text`: the same as UTF-8 bytes [N, L], zeros
  /// at the end, where the data says what its tokens are.
  lightrun::Batch predict_step(const lightrun::Batch& batch, const lightrun::StepInfo& /*info*/) override {
    torch::Tensor tokens = batch["tokens"];
    for (int64_t i = 0; i < predict_length_; ++i) {
      const auto seen =
          tokens.narrow(1, std::max<int64_t>(tokens.size(1) - length_, 0), std::min(tokens.size(1), length_));
      const auto logits = forward(seen).select(1, seen.size(1) - 1);
      const auto next = temperature_ == 0 ? logits.argmax(1, true)
                                          : torch::multinomial((logits / temperature_).softmax(1), 1);
      tokens = torch::cat({tokens, next}, 1);
    }
    const torch::Tensor written = tokens.narrow(1, tokens.size(1) - predict_length_, predict_length_);
    lightrun::Batch answer = {{"tokens", written}};
    if (!vocabulary_.empty()) answer.set("text", text_of(written));
    return answer;
  }

 private:
  [[nodiscard]] torch::Tensor text_of(const torch::Tensor& tokens) const {
    const torch::Tensor numbers = tokens.to(torch::kCPU).contiguous();
    const auto* number = numbers.data_ptr<int64_t>();
    std::vector<std::string> texts(static_cast<std::size_t>(numbers.size(0)));
    std::size_t longest = 1;
    for (std::string& text : texts) {
      for (int64_t i = 0; i < numbers.size(1); ++i) text += vocabulary_[static_cast<std::size_t>(*number++)];
      longest = std::max(longest, text.size());
    }
    auto bytes =
        torch::zeros({static_cast<int64_t>(texts.size()), static_cast<int64_t>(longest)}, torch::kUInt8);
    for (std::size_t n = 0; n < texts.size(); ++n)
      std::memcpy(bytes.data_ptr<uint8_t>() + n * longest, texts[n].data(), texts[n].size());
    return bytes;
  }

  /// As GPT-2 does: small normal weights, zero biases.
  void initialize() {
    const torch::NoGradGuard no_grad;
    for (const auto& item : named_parameters()) {
      if (item.value().dim() > 1) item.value().normal_(0, 0.02);
      if (item.key().ends_with("bias")) item.value().zero_();
    }
  }

  /// Logits [N, T, tokens].
  torch::Tensor forward(const torch::Tensor& tokens) {
    const int64_t t = tokens.size(1);
    const auto places = torch::arange(t, tokens.options());
    const auto mask = torch::ones({t, t}, tokens.options().dtype(torch::kBool)).triu(1);
    auto x = dropout_->forward(token_embedding_->forward(tokens) + place_embedding_->forward(places));
    for (const auto& block : *blocks_) x = block->as<Block>()->forward(x, mask);
    return head_->forward(norm_->forward(x));
  }

  torch::Tensor loss(const lightrun::Batch& batch) {
    return torch::cross_entropy_loss(forward(batch["tokens"]).flatten(0, 1), batch["target"].flatten());
  }

  int64_t length_ = 0;
  int64_t predict_length_;
  double temperature_;
  std::vector<std::string> vocabulary_;
  nn::Embedding token_embedding_{nullptr}, place_embedding_{nullptr};
  nn::Dropout dropout_{nullptr};
  nn::ModuleList blocks_;
  nn::LayerNorm norm_{nullptr};
  nn::Linear head_{nullptr};
};

}  // namespace

LIGHTRUN_MODEL(TinyGpt, "tiny_gpt", "Text: a small GPT, a transformer that only looks back");
