#pragma once

#include <lightrun/error.hpp>

#include <torch/nn/functional.h>
#include <torch/nn/modules.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

/// The nets of the recorded trainings: a list of layers, as case.json's `layers` has it.
namespace oracle {

/// h and c of an LSTM, each [1, N, hidden].
using LstmState = std::tuple<torch::Tensor, torch::Tensor>;

class Net {
 public:
  /// Registers the layers in `owner`, under their own names. Throws RunError for a kind that is not known.
  Net(torch::nn::Module& owner, const nlohmann::json& layers) : owner_(owner) {
    for (const auto& layer : layers) {
      names_.push_back(layer.size() > 1 && layer.at(1).is_string() ? layer.at(1).get<std::string>() : "");
      layers_.push_back(make(layer));
    }
  }

  [[nodiscard]] torch::Tensor forward(const torch::Tensor& x) { return forward(x, 0, layers_.size()); }

  /// Through layers `begin` to `end - 1` only.
  [[nodiscard]] torch::Tensor forward(torch::Tensor x, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) x = layers_[i](x);
    return x;
  }

  /// Where an LSTM starts; afterwards where it ended.
  std::optional<LstmState> state = {};

  /// The first layer whose name begins with `prefix`.
  [[nodiscard]] std::size_t first_of(const std::string& prefix) const {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (!names_[i].empty() && names_[i].starts_with(prefix)) return i;
    }
    throw lightrun::RunError("parity: no layer's name begins with " + prefix);
  }

 private:
  using Layer = std::function<torch::Tensor(const torch::Tensor&)>;

  template <typename Holder>
  Layer registered(const nlohmann::json& layer, Holder module) {
    owner_.register_module(layer.at(1).get<std::string>(), module);
    return [module](const torch::Tensor& x) mutable { return module->forward(x); };
  }

  Layer make(const nlohmann::json& layer) {
    const auto kind = layer.at(0).get<std::string>();
    if (auto function = without_parameters(kind, layer)) return function;
    const auto number = [&](std::size_t i) { return layer.at(i).get<int64_t>(); };
    if (kind == "linear") return registered(layer, torch::nn::Linear(number(2), number(3)));
    if (kind == "conv2d") {
      return registered(layer, torch::nn::Conv2d(torch::nn::Conv2dOptions(number(2), number(3), number(4))));
    }
    if (kind == "batchnorm2d") return registered(layer, torch::nn::BatchNorm2d(number(2)));
    if (kind == "lstm") return make_lstm(layer);
    throw lightrun::RunError("parity: the layer " + layer.dump() + " is of a kind that is not known here");
  }

  Layer without_parameters(const std::string& kind, const nlohmann::json& layer) {
    namespace F = torch::nn::functional;
    if (kind == "tanh") return [](const torch::Tensor& x) { return x.tanh(); };
    if (kind == "relu") return [](const torch::Tensor& x) { return x.relu(); };
    if (kind == "flatten") return [](const torch::Tensor& x) { return x.flatten(1); };
    if (kind == "maxpool2d") {
      const auto size = layer.at(1).get<int64_t>();
      return [size](const torch::Tensor& x) {
        return F::max_pool2d(x, F::MaxPool2dFuncOptions({size, size}));
      };
    }
    if (kind == "dropout") {
      const auto p = layer.at(1).get<double>();
      return [this, p](const torch::Tensor& x) { return torch::dropout(x, p, owner_.is_training()); };
    }
    return {};
  }

  Layer make_lstm(const nlohmann::json& layer) {
    torch::nn::LSTM lstm(
        torch::nn::LSTMOptions(layer.at(2).get<int64_t>(), layer.at(3).get<int64_t>()).batch_first(true));
    owner_.register_module(layer.at(1).get<std::string>(), lstm);
    return [this, lstm](const torch::Tensor& x) mutable {
      auto [output, state_after] = state ? lstm->forward(x, *state) : lstm->forward(x);
      state = std::move(state_after);
      return output;
    };
  }

  torch::nn::Module& owner_;
  std::vector<std::string> names_;
  std::vector<Layer> layers_;
};

}  // namespace oracle
