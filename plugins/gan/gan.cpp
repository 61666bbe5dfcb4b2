// A generative adversarial network on small grey images: a generator draws, a discriminator tells drawings
// from the data's images, and each trains against the other.
//
// Shows several optimizers: configure_optimizers answers two with their turns (`frequency`), and
// training_step asks info.optimizer_idx whose turn it is. predict_step draws.

#include <lightrun/lightrun.hpp>

#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/adam.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace nn = torch::nn;

namespace {

constexpr int64_t kDiscriminator = 0;

class Gan : public lightrun::Module {
 public:
  static lightrun::ParamDecls parameters() {
    return {
        lightrun::ParamDecl("latent", 32, "random numbers that a drawing is made from").range(1, 4096),
        lightrun::ParamDecl("hidden", 128, "units of each hidden layer").range(1, 65536),
        lightrun::ParamDecl("lr", 1e-3, "learning rate of both").range(0, 1),
        lightrun::ParamDecl("discriminator_batches", 1, "batches for the discriminator, then ...")
            .range(1, 1000),
        lightrun::ParamDecl("generator_batches", 1, "... batches for the generator").range(1, 1000),
    };
  }

  explicit Gan(const lightrun::Params& params)
      : image_shape_(params.data().at("image").shape),
        latent_(params.get<int64_t>("latent")),
        lr_(params.get<double>("lr")),
        turns_{params.get<int64_t>("discriminator_batches"), params.get<int64_t>("generator_batches")} {
    const int64_t hidden = params.get<int64_t>("hidden");
    int64_t pixels = 1;
    for (const int64_t size : image_shape_) pixels *= size;
    generator_ = nn::Sequential(nn::Linear(latent_, hidden), nn::BatchNorm1d(hidden), nn::ReLU(),
                                nn::Linear(hidden, hidden), nn::BatchNorm1d(hidden), nn::ReLU(),
                                nn::Linear(hidden, pixels), nn::Sigmoid());
    discriminator_ =
        nn::Sequential(nn::Linear(pixels, hidden), nn::LeakyReLU(nn::LeakyReLUOptions().negative_slope(0.2)),
                       nn::Dropout(0.3), nn::Linear(hidden, hidden),
                       nn::LeakyReLU(nn::LeakyReLUOptions().negative_slope(0.2)), nn::Linear(hidden, 1));
    register_module("generator", generator_);
    register_module("discriminator", discriminator_);
  }

  lightrun::StepResult training_step(const lightrun::Batch& batch, const lightrun::StepInfo& info) override {
    if (batch.size() == 1) return {};  // batch normalisation needs two
    const torch::Tensor drawn = generator_->forward(noise(batch.size()));
    if (info.optimizer_idx == kDiscriminator) {
      const torch::Tensor loss = (judged(batch["image"].flatten(1), 1) + judged(drawn.detach(), 0)) / 2;
      log("d_loss", loss.detach(), {.prog_bar = true});
      return loss;
    }
    const torch::Tensor loss = judged(drawn, 1);
    log("g_loss", loss.detach(), {.prog_bar = true});
    return loss;
  }

  /// How far the mean drawing is from the mean image: drawings that are all alike, or noise, are not near it.
  void validation_step(const lightrun::Batch& batch, const lightrun::StepInfo& /*info*/) override {
    const torch::Tensor drawn = generator_->forward(noise(batch.size()));
    const torch::Tensor real = batch["image"].flatten(1);
    log("val_mean_error", (drawn.mean(0) - real.mean(0)).abs().mean(), {.prog_bar = true});
    log("val_std_error", (drawn.std(0) - real.std(0)).abs().mean());
  }

  /// `image`: a drawing for each sample of the batch.
  lightrun::Batch predict_step(const lightrun::Batch& batch, const lightrun::StepInfo& /*info*/) override {
    std::vector<int64_t> shape = {batch.size()};
    shape.insert(shape.end(), image_shape_.begin(), image_shape_.end());
    return {{"image", generator_->forward(noise(batch.size())).view(shape)}};
  }

  lightrun::Optimizers configure_optimizers() override {
    const auto options = torch::optim::AdamOptions(lr_).betas({0.5, 0.999});
    lightrun::Optimizers optimizers;
    for (const auto& [net, turn] : {std::pair{discriminator_, turns_[0]}, {generator_, turns_[1]}}) {
      lightrun::OptimizerSetup setup;
      setup.optimizer = std::make_unique<torch::optim::Adam>(net->parameters(), options);
      setup.frequency = turn;
      optimizers.add(std::move(setup));
    }
    return optimizers;
  }

 private:
  torch::Tensor noise(int64_t count) const {
    return torch::randn({count, latent_}, generator_->parameters().front().options().requires_grad(false));
  }

  /// Loss of taking every row for real (1) or drawn (0).
  torch::Tensor judged(const torch::Tensor& images, double truth) {
    const torch::Tensor logits = discriminator_->forward(images);
    return torch::binary_cross_entropy_with_logits(logits, torch::full_like(logits, truth));
  }

  std::vector<int64_t> image_shape_;
  int64_t latent_;
  double lr_;
  std::vector<int64_t> turns_;
  nn::Sequential generator_, discriminator_;
};

}  // namespace

LIGHTRUN_MODEL(Gan, "gan", "Small grey images: a generator and a discriminator, with an optimizer each");
