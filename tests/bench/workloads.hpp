#pragma once

#include <torch/nn/init.h>
#include <torch/nn/modules/container/functional.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/rnn.h>
#include <torch/types.h>

#include <ATen/CPUGeneratorImpl.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

/// What both loops of the benchmark train: the same nets, samples and batch sizes.
namespace lightrun::bench {

/// Samples with a class each, or a sequence of classes.
struct Samples {
  torch::Tensor input;   ///< [N, ...]
  torch::Tensor target;  ///< [N], or [N, T] in a sequence
};

/// A net, and what it is trained on.
struct Workload {
  Samples samples;
  int64_t batch_size = 0;
  int64_t split = 0;  ///< time steps of a split; 0: no sequences
};

namespace nn = torch::nn;

/// Noise, drawn from a generator of its own.
inline Samples noise(std::vector<int64_t> input_shape, std::vector<int64_t> target_shape, int64_t classes) {
  auto generator = at::make_generator<at::CPUGeneratorImpl>(uint64_t{7});
  return {torch::randn(input_shape, generator),
          torch::randint(classes, target_shape, generator, torch::kInt64)};
}

inline Workload make_workload(const std::string& name) {
  if (name == "tiny") return {noise({4096, 32}, {4096}, 2), 32};
  if (name == "mlp") return {noise({60000, 784}, {60000}, 10), 64};
  if (name == "lenet") return {noise({6400, 1, 28, 28}, {6400}, 10), 64};
  if (name == "lstm") return {noise({512, 64, 16}, {512, 64}, 8), 16, 16};
  if (name == "deep") return {noise({4096, 64}, {4096}, 2), 32};
  throw std::invalid_argument("no workload is called '" + name + "'");
}

/// The nets without a state.
inline nn::Sequential make_net(const std::string& name) {
  const auto relu = [] { return nn::Functional(torch::relu); };
  if (name == "tiny") return nn::Sequential(nn::Linear(32, 64), relu(), nn::Linear(64, 2));
  if (name == "mlp") return nn::Sequential(nn::Linear(784, 128), relu(), nn::Linear(128, 10));
  const auto pool = [] {
    return nn::Functional([](const torch::Tensor& x) { return torch::max_pool2d(x, 2); });
  };
  if (name == "lenet") {
    return nn::Sequential(nn::Conv2d(nn::Conv2dOptions(1, 6, 5).padding(2)), relu(), pool(),
                          nn::Conv2d(6, 16, 5), relu(), pool(), nn::Flatten(), nn::Linear(400, 120), relu(),
                          nn::Linear(120, 84), relu(), nn::Linear(84, 10));
  }
  nn::Sequential net;  // deep
  for (int layer = 0; layer < 99; ++layer) {
    nn::Linear linear(64, 64);
    nn::init::kaiming_normal_(linear->weight, 0, torch::kFanIn, torch::kReLU);  // else nothing comes through
    net->push_back(linear);
    net->push_back(relu());
  }
  net->push_back(nn::Linear(64, 2));
  return net;
}

/// An LSTM with a class at each time step.
class LstmNetImpl : public nn::Module {
 public:
  using State = std::tuple<torch::Tensor, torch::Tensor>;

  LstmNetImpl() : lstm_(nn::LSTMOptions(16, 64).batch_first(true)), head_(64, 8) {
    register_module("lstm", lstm_);
    register_module("head", head_);
  }

  /// Logits [N * T, 8], and the state after them. @param state undefined: zeros
  std::pair<torch::Tensor, State> forward(const torch::Tensor& input, const State& state) {
    const auto zeros = [&] { return torch::zeros({1, input.size(0), 64}); };
    const bool is_first = !std::get<0>(state).defined();
    auto [output, next] = lstm_->forward(input, is_first ? State(zeros(), zeros()) : state);
    return {head_->forward(output).flatten(0, 1), next};
  }

 private:
  nn::LSTM lstm_;
  nn::Linear head_;
};
TORCH_MODULE(LstmNet);

}  // namespace lightrun::bench
