// Trains in a program of one's own: a model that is no plugin, a function at an event, a callback.
// usage: embedding WORD... (config files and settings)

#include <lightrun/lightrun.hpp>

#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace {

class Line : public lightrun::Module {
 public:
  Line() { register_module("linear", linear_); }

  lightrun::StepResult training_step(const lightrun::Batch& batch,
                                     const lightrun::StepInfo& /*info*/) override {
    return torch::mse_loss(linear_->forward(batch["x"]), batch["y"]);
  }

  /// y = 3 x
  lightrun::DataLoader train_dataloader() override {
    const auto x = torch::linspace(-1, 1, 64).view({64, 1});
    return std::make_shared<lightrun::TensorDataset>(lightrun::Batch{{"x", x}, {"y", 3 * x}});
  }

  [[nodiscard]] double slope() const { return linear_->weight.item<double>(); }

 private:
  torch::nn::Linear linear_{1, 1};
};

class CountBatches : public lightrun::Callback {
 public:
  explicit CountBatches(int64_t& count) : count_(count) {}
  void on_train_batch_end(lightrun::Context& /*context*/) override { ++count_; }

 private:
  int64_t& count_;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto model = lightrun::make_module<Line>();
    int64_t batches = 0;
    lightrun::Trainer trainer(std::vector<std::string>(argv + 1, argv + argc));
    trainer.model(model).quiet().add(lightrun::make_callback<CountBatches>(batches));
    trainer.on(lightrun::Event::on_train_epoch_end,
               [](const lightrun::Context& context) { std::cout << "epoch " << context.epoch() << '\n'; });
    const auto result = trainer.fit();
    std::cout << "batches " << batches << "\nslope " << model->slope() << "\nreason " << result.reason
              << "\nfolder " << result.run_dir << '\n';
    return result.completed ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const lightrun::Error& error) {
    std::cerr << error.what() << '\n';
    return static_cast<int>(error.exit_code());
  }
}
