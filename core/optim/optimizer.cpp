#include "optim/optimizer.hpp"

#include "support/pattern.hpp"

#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/lbfgs.h>
#include <torch/optim/rmsprop.h>
#include <torch/optim/sgd.h>

#include <algorithm>
#include <set>

namespace lightrun::optim {
namespace {

using Group = torch::optim::OptimizerParamGroup;
using Groups = std::vector<Group>;
using OptimizerPtr = std::unique_ptr<torch::optim::Optimizer>;

torch::optim::SGDOptions torch_options(const config::SgdSpec& spec) {
  return torch::optim::SGDOptions(spec.lr)
      .momentum(spec.momentum)
      .dampening(spec.dampening)
      .weight_decay(spec.weight_decay)
      .nesterov(spec.nesterov);
}

/// Adam's and AdamW's have the same names.
template <typename Options, typename Spec>
Options adam_options(const Spec& spec) {
  return Options(spec.lr)
      .betas({spec.betas[0], spec.betas[1]})
      .eps(spec.eps)
      .weight_decay(spec.weight_decay)
      .amsgrad(spec.amsgrad);
}
torch::optim::AdamOptions torch_options(const config::AdamSpec& spec) {
  return adam_options<torch::optim::AdamOptions>(spec);
}
torch::optim::AdamWOptions torch_options(const config::AdamWSpec& spec) {
  return adam_options<torch::optim::AdamWOptions>(spec);
}

torch::optim::RMSpropOptions torch_options(const config::RmspropSpec& spec) {
  return torch::optim::RMSpropOptions(spec.lr)
      .alpha(spec.alpha)
      .eps(spec.eps)
      .weight_decay(spec.weight_decay)
      .momentum(spec.momentum)
      .centered(spec.centered);
}

torch::optim::AdagradOptions torch_options(const config::AdagradSpec& spec) {
  return torch::optim::AdagradOptions(spec.lr)
      .lr_decay(spec.lr_decay)
      .weight_decay(spec.weight_decay)
      .initial_accumulator_value(spec.initial_accumulator_value)
      .eps(spec.eps);
}

torch::optim::LBFGSOptions torch_options(const config::LbfgsSpec& spec) {
  torch::optim::LBFGSOptions options(spec.lr);
  options.max_iter(spec.max_iter)
      .tolerance_grad(spec.tolerance_grad)
      .tolerance_change(spec.tolerance_change)
      .history_size(spec.history_size);
  options.max_eval(spec.max_eval.value_or(spec.max_iter * 5 / 4));
  if (spec.line_search_fn == config::LineSearch::strong_wolfe) options.line_search_fn("strong_wolfe");
  return options;
}

struct MakeOptimizer {
  Groups groups;

  OptimizerPtr operator()(const config::SgdSpec& spec) {
    return std::make_unique<torch::optim::SGD>(std::move(groups), torch_options(spec));
  }
  OptimizerPtr operator()(const config::AdamSpec& spec) {
    return std::make_unique<torch::optim::Adam>(std::move(groups), torch_options(spec));
  }
  OptimizerPtr operator()(const config::AdamWSpec& spec) {
    return std::make_unique<torch::optim::AdamW>(std::move(groups), torch_options(spec));
  }
  OptimizerPtr operator()(const config::RmspropSpec& spec) {
    return std::make_unique<torch::optim::RMSprop>(std::move(groups), torch_options(spec));
  }
  OptimizerPtr operator()(const config::AdagradSpec& spec) {
    return std::make_unique<torch::optim::Adagrad>(std::move(groups), torch_options(spec));
  }
  OptimizerPtr operator()(const config::LbfgsSpec& spec) {
    return std::make_unique<torch::optim::LBFGS>(std::move(groups), torch_options(spec));
  }
};

/// Takes those of these names out of `parameters`.
std::vector<torch::Tensor> take(const std::vector<std::string>& names, NamedTensors& parameters) {
  const std::set<std::string> wanted(names.begin(), names.end());
  std::vector<torch::Tensor> taken;
  std::erase_if(parameters, [&](const auto& named) {
    if (!wanted.contains(named.first)) return false;
    taken.push_back(named.second);
    return true;
  });
  return taken;
}

std::vector<std::string> names_of(const NamedTensors& parameters) {
  std::vector<std::string> names;
  for (const auto& [name, parameter] : parameters) names.push_back(name);
  return names;
}

/// LibTorch's groups do not inherit the optimizer's options: each has them all.
Group group_of(std::vector<torch::Tensor> parameters, const config::OptimizerKind& kind) {
  return std::visit(
      [&](const auto& spec) {
        auto all = torch_options(spec);
        return Group(std::move(parameters), std::make_unique<decltype(all)>(std::move(all)));
      },
      kind);
}

}  // namespace

OptimizerPtr make_optimizer(const config::OptimizerSpec& spec, NamedTensors parameters) {
  std::erase_if(parameters, [](const auto& named) { return !named.second.requires_grad(); });
  const std::vector<std::string> all = names_of(parameters);
  Groups groups;
  for (std::size_t i = 0; i < spec.groups.size(); ++i) {
    auto members = take(support::names_with(spec.groups[i].params, names_of(parameters)), parameters);
    if (members.empty()) throw EmptyGroup{i, all};
    groups.push_back(group_of(std::move(members), config::options_of(spec, spec.groups[i])));
  }
  if (!parameters.empty() || groups.empty())
    groups.push_back(group_of(take(names_of(parameters), parameters), spec.kind));
  return std::visit(MakeOptimizer{std::move(groups)}, spec.kind);
}

}  // namespace lightrun::optim
