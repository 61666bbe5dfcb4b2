// The recorded trainings of parity/ (tests/oracle/README.md), as a plugin: net, data and loss from a case's
// folder. What the run does is written down, one JSON line an event, for run_parity_case.py.

#include "autocast.hpp"
#include "npy_file.hpp"
#include "parity_net.hpp"
#include "parity_optimizers.hpp"

#include <lightrun/lightrun.hpp>

#include <torch/nn/functional.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <optional>

namespace {

using lightrun::Batch;
using lightrun::Context;
using lightrun::StepInfo;
using lightrun::StepResult;
using nlohmann::json;
namespace F = torch::nn::functional;

json read_json(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw lightrun::RunError(path + ": cannot be opened");
  return json::parse(file);
}

/// Euclidean norm of all their elements; undefined ones count as zero.
double norm_of(const std::vector<torch::Tensor>& tensors) {
  double squares = 0;
  for (const auto& tensor : tensors) {
    if (tensor.defined()) squares += tensor.detach().to(torch::kFloat64).square().sum().item<double>();
  }
  return std::sqrt(squares);
}

/// A case with one optimizer, which is the config's.
class Parity : public lightrun::Module {
 public:
  static lightrun::ParamDecls parameters() {
    return {{"case", "", "the case's folder"}, {"record", "", "where to write down what happens"}};
  }

  explicit Parity(const lightrun::Params& params)
      : folder_(params.get<std::string>("case") + "/"),
        description_(read_json(folder_ + "case.json")),
        task_(description_.at("task")),
        net_(*this, description_.at("layers")),
        record_(params.get<std::string>("record")) {
    if (description_.at("dtype") == "float64") to(torch::kFloat64);
    const torch::NoGradGuard no_grad;
    for (auto& item : named_parameters()) item.value().copy_(read("init." + item.key()));
    for (auto& item : named_buffers()) item.value().copy_(read("init." + item.key()));
  }

  StepResult training_step(const Batch& batch, const StepInfo& info) override {
    info_ = info;
    const json& seed = description_.at("seed_per_step");
    if (!seed.is_null()) torch::manual_seed(seed.get<uint64_t>() + static_cast<uint64_t>(batches_seen_));
    std::optional<oracle::BFloat16Autocast> autocast;
    if (description_.at("autocast") == "bfloat16") autocast.emplace();
    net_.state.reset();
    if (!info.hiddens.isNone()) {
      const auto& hiddens = info.hiddens.toTupleRef().elements();
      net_.state.emplace(hiddens.at(0).toTensor(), hiddens.at(1).toTensor());
    }
    const auto loss = loss_of(batch, info.optimizer_idx);
    write({{"kind", "forward"}, {"loss", loss.item<double>()}});
    if (!net_.state) return loss;
    return {loss, c10::ivalue::Tuple::create(std::get<0>(*net_.state), std::get<1>(*net_.state))};
  }

  void validation_step(const Batch& batch, const StepInfo& /*info*/) override {
    net_.state.reset();
    const auto loss = loss_of(batch, 0);
    val_losses_ += loss.item<double>();
    // The recorded value is the mean of the batches' means, whatever their sizes.
    log("val_loss", loss / static_cast<double>(val_batches_), {.reduce = lightrun::Reduce::sum});
  }

  lightrun::DataLoader train_dataloader() override { return in_order(""); }
  lightrun::DataLoader val_dataloader() override {
    return description_.at("val_samples") == 0 ? lightrun::DataLoader() : in_order("val_");
  }

  void on_train_batch_start(Context& context) override { batches_seen_ = context.batches_seen(); }

  void on_after_backward(Context& /*context*/) override {
    write({{"kind", "backward"}, {"grad_norm", norm_of(gradients(parameters_of(info_.optimizer_idx)))}});
  }

  // Right after the optimizer's step: its gradients are still there.
  void on_before_zero_grad(Context& context) override {
    const auto stepped = parameters_of(info_.optimizer_idx);
    write({{"kind", "step"},
           {"lr", context.learning_rates().at(static_cast<std::size_t>(info_.optimizer_idx))},
           {"grad_norm", norm_of(gradients(stepped))},
           {"param_norm_after", norm_of(torch::nn::Module::parameters())}});
  }

  void on_validation_epoch_start(Context& context) override {
    val_batches_ = context.info().val_batches.value_or(1);
    val_losses_ = 0;
  }

  void validation_epoch_end(Context& context) override {
    if (context.stage() == lightrun::Stage::sanity_checking) return;
    write({{"kind", "validation"}, {"val_loss", val_losses_ / static_cast<double>(val_batches_)}});
  }

 protected:
  [[nodiscard]] const json& optimizers() const { return description_.at("optimizers"); }

  /// The parameters that optimizer `index` trains: `g.*` are those of the layers whose names begin with g.
  [[nodiscard]] std::vector<torch::Tensor> parameters_of(int64_t index) const {
    const auto pattern = optimizers().at(static_cast<std::size_t>(index)).at("params").get<std::string>();
    if (!pattern.ends_with("*")) return torch::nn::Module::parameters();
    std::vector<torch::Tensor> chosen;
    for (const auto& item : named_parameters()) {
      if (item.key().starts_with(prefix_of(pattern))) chosen.push_back(item.value());
    }
    return chosen;
  }

 private:
  static std::string prefix_of(const std::string& pattern) { return pattern.substr(0, pattern.find('.')); }

  static std::vector<torch::Tensor> gradients(const std::vector<torch::Tensor>& parameters) {
    std::vector<torch::Tensor> gradients;
    for (const auto& parameter : parameters) gradients.push_back(parameter.grad());
    return gradients;
  }

  torch::Tensor loss_of(const Batch& batch, int64_t optimizer_idx) {
    if (task_ == "gan") return gan_loss(batch["x"], batch["y"], optimizer_idx);
    const auto output = net_.forward(batch["x"]);
    if (task_ == "ce" || task_ == "ce_img") return F::cross_entropy(output, batch["y"]);
    if (task_ == "mse" || task_ == "seq") return F::mse_loss(output, batch["y"]);
    throw lightrun::RunError("parity: the task " + task_ + " is not known here");
  }

  /// Optimizer 0 trains the generator to be taken for real, optimizer 1 the discriminator to tell them apart.
  torch::Tensor gan_loss(const torch::Tensor& x, const torch::Tensor& y, int64_t optimizer_idx) {
    const auto border = net_.first_of(prefix_of(optimizers().at(1).at("params").get<std::string>()));
    const auto last = description_.at("layers").size();
    const auto judged = [&](const torch::Tensor& sample, double truth) {
      const auto verdict = net_.forward(sample, border, last);
      return F::binary_cross_entropy_with_logits(verdict, torch::full_like(verdict, truth));
    };
    const auto fake = net_.forward(x, 0, border);
    if (optimizer_idx == 0) return judged(fake, 1);
    return 0.5 * (judged(y, 1) + judged(fake.detach(), 0));
  }

  [[nodiscard]] torch::Tensor read(const std::string& name) const {
    return oracle::read_npy(folder_ + name + ".npy");
  }

  [[nodiscard]] lightrun::DataLoader in_order(const std::string& prefix) const {
    lightrun::DataLoader loader(std::make_shared<lightrun::TensorDataset>(
        Batch{{"x", read(prefix + "x")}, {"y", read(prefix + "y")}}));
    loader.batch_size = description_.at("batch_size").get<int64_t>();
    loader.shuffle = false;
    loader.drop_last = prefix.empty() && description_.at("drop_last").get<bool>();
    return loader;
  }

  void write(json line) {
    line["epoch"] = info_.epoch;
    line["batch_idx"] = info_.batch_idx;
    line["split_idx"] = info_.split_idx;
    line["opt_idx"] = info_.optimizer_idx;
    line["global_step"] = info_.global_step;
    record_ << line.dump() << std::endl;
  }

  std::string folder_;
  json description_;
  std::string task_;
  oracle::Net net_;
  std::ofstream record_;
  StepInfo info_;  ///< of the latest training step
  int64_t batches_seen_ = 0;
  int64_t val_batches_ = 1;
  double val_losses_ = 0;
};

/// A case with several optimizers, which lightrun's config cannot say.
class ParityGan : public Parity {
 public:
  using Parity::Parity;

  lightrun::Optimizers configure_optimizers() override {
    lightrun::Optimizers configured;
    for (std::size_t i = 0; i < optimizers().size(); ++i) {
      const json& description = optimizers().at(i);
      configured.add(
          {.optimizer = oracle::make_optimizer(description, parameters_of(static_cast<int64_t>(i))),
           .frequency = description.value("frequency", int64_t{0})});
    }
    return configured;
  }
};

}  // namespace

LIGHTRUN_MODEL(Parity, "parity", "A recorded Lightning training with one optimizer");
LIGHTRUN_MODEL(ParityGan, "parity_gan", "A recorded Lightning training with several optimizers");
