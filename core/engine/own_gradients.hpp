#pragma once

#include "engine/run.hpp"

namespace lightrun::engine {

/// For the time of one optimizer's turn: parameters that it shares with another have the gradients that this
/// optimizer has gathered. Without it an open accumulation window would mix those of both.
class OwnGradients {
 public:
  explicit OwnGradients(ActiveOptimizer& active) : active_(active) { swap(); }
  ~OwnGradients() { swap(); }
  OwnGradients(const OwnGradients&) = delete;
  OwnGradients& operator=(const OwnGradients&) = delete;

 private:
  void swap() {
    active_.own_gradients.resize(active_.shared.size());
    for (std::size_t i = 0; i < active_.shared.size(); ++i) {
      torch::Tensor gradient = active_.shared[i].second.grad();
      active_.shared[i].second.mutable_grad() = active_.own_gradients[i];
      active_.own_gradients[i] = std::move(gradient);
    }
  }

  ActiveOptimizer& active_;
};

}  // namespace lightrun::engine
