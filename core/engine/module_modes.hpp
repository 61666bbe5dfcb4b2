#pragma once

#include <torch/nn/module.h>

#include <memory>
#include <utility>
#include <vector>

namespace lightrun::engine {

/// Puts a whole module into eval mode, and each submodule back into the mode it was in: train() on the
/// container would wake up layers the user keeps in eval mode.
class EvalMode {
 public:
  explicit EvalMode(torch::nn::Module& module) {
    for (const auto& submodule : module.modules()) modes_.emplace_back(submodule, submodule->is_training());
    module.eval();
  }
  ~EvalMode() { restore(); }
  EvalMode(const EvalMode&) = delete;
  EvalMode& operator=(const EvalMode&) = delete;

  /// modules() lists parents before their children, and train(mode) sets the children too: the children's own
  /// modes are set after it.
  void restore() {
    for (const auto& [submodule, training] : modes_) submodule->train(training);
    modes_.clear();
  }

 private:
  std::vector<std::pair<std::shared_ptr<torch::nn::Module>, bool>> modes_;
};

}  // namespace lightrun::engine
