// Squeezes images through a few numbers and draws them again.
//
// Shows a model whose target is its input, and predictions that are images: `lightrun predict --out folder/`.

#include <lightrun/lightrun.hpp>

#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <vector>

namespace nn = torch::nn;

namespace {

class Autoencoder : public lightrun::Module {
 public:
  static lightrun::ParamDecls parameters() {
    return {
        lightrun::ParamDecl("hidden", 128, "units of the layers beside the middle").range(1, 65536),
        lightrun::ParamDecl("code", 16, "numbers in the middle").range(1, 4096),
    };
  }

  explicit Autoencoder(const lightrun::Params& params) {
    int64_t pixels = 1;
    for (const int64_t size : params.data().at("image").shape) pixels *= size;
    const auto hidden = params.get<int64_t>("hidden");
    const auto code = params.get<int64_t>("code");
    encoder_ = nn::Sequential(nn::Linear(pixels, hidden), nn::ReLU(), nn::Linear(hidden, code));
    decoder_ =
        nn::Sequential(nn::Linear(code, hidden), nn::ReLU(), nn::Linear(hidden, pixels), nn::Sigmoid());
    register_module("encoder", encoder_);
    register_module("decoder", decoder_);
  }

  lightrun::StepResult training_step(const lightrun::Batch& batch,
                                     const lightrun::StepInfo& /*info*/) override {
    return loss(batch["image"]);
  }
  void validation_step(const lightrun::Batch& batch, const lightrun::StepInfo& /*info*/) override {
    log("val_loss", loss(batch["image"]), {.prog_bar = true});
  }
  void test_step(const lightrun::Batch& batch, const lightrun::StepInfo& /*info*/) override {
    log("test_loss", loss(batch["image"]));
  }

  /// `image`: the images drawn again; `code`: what they were drawn from.
  lightrun::Batch predict_step(const lightrun::Batch& batch, const lightrun::StepInfo& /*info*/) override {
    const torch::Tensor code = encoder_->forward(batch["image"].flatten(1));
    return {{"image", decoder_->forward(code).view_as(batch["image"])}, {"code", code}};
  }

 private:
  torch::Tensor loss(const torch::Tensor& image) {
    const torch::Tensor drawn = decoder_->forward(encoder_->forward(image.flatten(1)));
    return torch::mse_loss(drawn, image.flatten(1));
  }

  nn::Sequential encoder_, decoder_;
};

}  // namespace

LIGHTRUN_MODEL(Autoencoder, "autoencoder", "Images: squeezed through a few numbers and drawn again");
