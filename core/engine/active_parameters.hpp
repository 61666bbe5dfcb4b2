#pragma once

#include <torch/types.h>

#include <utility>
#include <vector>

namespace lightrun::engine {

/// For the time of one optimizer's step among several: only that optimizer's parameters require grad. Each
/// flag is put back exactly as it was; a parameter the user froze stays frozen throughout.
class ActiveParameters {
 public:
  ActiveParameters(const std::vector<torch::Tensor>& all, const std::vector<torch::Tensor>& active) {
    for (const auto& parameter : all) {
      flags_.emplace_back(parameter, parameter.requires_grad());
      parameter.set_requires_grad(false);
    }
    for (const auto& parameter : active) {
      for (const auto& [known, flag] : flags_) {
        if (known.is_same(parameter)) parameter.set_requires_grad(flag);
      }
    }
  }
  ~ActiveParameters() {
    for (const auto& [parameter, flag] : flags_) parameter.set_requires_grad(flag);
  }
  ActiveParameters(const ActiveParameters&) = delete;
  ActiveParameters& operator=(const ActiveParameters&) = delete;

 private:
  std::vector<std::pair<torch::Tensor, bool>> flags_;
};

}  // namespace lightrun::engine
