// A model that trains while its plugin holds what outlives a run: static tensors, an operator that is
// registered, a thread. The process has to end with the run's own exit code all the same.
#include <lightrun/lightrun.hpp>

#include <torch/library.h>
#include <torch/nn/modules/linear.h>

#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

torch::Tensor static_tensor = torch::ones({4, 2});

/// A thread that sleeps until the library's objects are destroyed.
class Sleeper {
 public:
  Sleeper() : thread_([this](const std::stop_token& stop) { sleep(stop); }) {}

 private:
  void sleep(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, stop, [] { return false; });
  }

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

Sleeper static_thread;

torch::Tensor twice(const torch::Tensor& x) {
  return x * 2;
}

class StaticObjects : public lightrun::Module {
 public:
  explicit StaticObjects(const lightrun::Params&)
      : layer_(register_module("layer", torch::nn::Linear(2, 1))) {}

  lightrun::DataLoader train_dataloader() override {
    return std::make_shared<lightrun::TensorDataset>(lightrun::Batch{{"x", static_tensor}});
  }

  lightrun::StepResult training_step(const lightrun::Batch& batch, const lightrun::StepInfo&) override {
    const torch::Tensor loss = layer_->forward(twice(batch["x"])).square().mean();
    last_loss = loss;  // keeps the graph, with the plugin's own nodes, past the end of main
    return loss;
  }

 private:
  static torch::Tensor last_loss;
  torch::nn::Linear layer_;
};

torch::Tensor StaticObjects::last_loss;

}  // namespace

TORCH_LIBRARY(lightrun_static_objects, library) {
  library.def("twice(Tensor x) -> Tensor", &twice);
}

LIGHTRUN_MODEL(StaticObjects, "static_objects", "Keeps static tensors, an operator and a thread");
