#pragma once

#include "optim/gradients.hpp"

#include <lightrun/state_dict.hpp>

#include <torch/optim/optimizer.h>

#include <map>
#include <string>
#include <vector>

namespace lightrun::optim {

/// All that an optimizer knows, by the names of its parameters: no matter in which order they were given.
/// LibTorch's own archives keep state by position, and lose the rate.
struct OptimizerState {
  struct Group {
    std::vector<std::string> parameters;
    StateDict options;  ///< "kind" ("adam", ...), "lr", "betas", ...
  };
  std::vector<Group> groups;
  std::map<std::string, StateDict> parameters;  ///< by name: "kind", "step", "exp_avg", ...
};

/// The state of `optimizer`, whose parameters `named` lists with their names, group by group: SGD, Adam,
/// AdamW, RMSprop, Adagrad and LBFGS field by field; any other optimizer's through its own serialize(), which
/// must give tensors, numbers, texts, or lists of numbers. The tensors are the optimizer's own, not copies.
/// Throws RunError where serialize() is missing or gives something else.
[[nodiscard]] OptimizerState state_of(torch::optim::Optimizer& optimizer, const NamedTensors& named);

/// How `state` does not fit `optimizer`, a line each: groups, parameters of a group, kinds; none where it
/// fits.
[[nodiscard]] std::vector<std::string> differences(const OptimizerState& state,
                                                   const torch::optim::Optimizer& optimizer,
                                                   const NamedTensors& named);

/// Puts `state`, which fits, into `optimizer`. Tensors are copied to the parameters' devices. State of a kind
/// only the optimizer itself can make comes into being by a step with gradients of zero: the weights must be
/// restored after it. Throws RunError where that does not help.
void restore(torch::optim::Optimizer& optimizer, const OptimizerState& state, const NamedTensors& named);

}  // namespace lightrun::optim
