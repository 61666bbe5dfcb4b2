#include "optim/optimizer.hpp"

#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/lbfgs.h>
#include <torch/optim/rmsprop.h>
#include <torch/optim/sgd.h>

namespace lightrun::optim {
namespace {

using Parameters = std::vector<torch::Tensor>;
using OptimizerPtr = std::unique_ptr<torch::optim::Optimizer>;

struct MakeOptimizer {
  Parameters parameters;

  OptimizerPtr operator()(const config::SgdSpec& spec) {
    return std::make_unique<torch::optim::SGD>(parameters, torch::optim::SGDOptions(spec.lr)
                                                               .momentum(spec.momentum)
                                                               .dampening(spec.dampening)
                                                               .weight_decay(spec.weight_decay)
                                                               .nesterov(spec.nesterov));
  }
  OptimizerPtr operator()(const config::AdamSpec& spec) {
    return std::make_unique<torch::optim::Adam>(parameters, torch::optim::AdamOptions(spec.lr)
                                                                .betas({spec.betas[0], spec.betas[1]})
                                                                .eps(spec.eps)
                                                                .weight_decay(spec.weight_decay)
                                                                .amsgrad(spec.amsgrad));
  }
  OptimizerPtr operator()(const config::AdamWSpec& spec) {
    return std::make_unique<torch::optim::AdamW>(parameters, torch::optim::AdamWOptions(spec.lr)
                                                                 .betas({spec.betas[0], spec.betas[1]})
                                                                 .eps(spec.eps)
                                                                 .weight_decay(spec.weight_decay)
                                                                 .amsgrad(spec.amsgrad));
  }
  OptimizerPtr operator()(const config::RmspropSpec& spec) {
    return std::make_unique<torch::optim::RMSprop>(parameters, torch::optim::RMSpropOptions(spec.lr)
                                                                   .alpha(spec.alpha)
                                                                   .eps(spec.eps)
                                                                   .weight_decay(spec.weight_decay)
                                                                   .momentum(spec.momentum)
                                                                   .centered(spec.centered));
  }
  OptimizerPtr operator()(const config::AdagradSpec& spec) {
    return std::make_unique<torch::optim::Adagrad>(
        parameters, torch::optim::AdagradOptions(spec.lr)
                        .lr_decay(spec.lr_decay)
                        .weight_decay(spec.weight_decay)
                        .initial_accumulator_value(spec.initial_accumulator_value)
                        .eps(spec.eps));
  }
  OptimizerPtr operator()(const config::LbfgsSpec& spec) {
    torch::optim::LBFGSOptions options(spec.lr);
    options.max_iter(spec.max_iter)
        .tolerance_grad(spec.tolerance_grad)
        .tolerance_change(spec.tolerance_change)
        .history_size(spec.history_size);
    options.max_eval(spec.max_eval.value_or(spec.max_iter * 5 / 4));
    if (spec.line_search_fn == config::LineSearch::strong_wolfe) options.line_search_fn("strong_wolfe");
    return std::make_unique<torch::optim::LBFGS>(parameters, options);
  }
};

}  // namespace

OptimizerPtr make_optimizer(const config::OptimizerSpec& spec, Parameters parameters) {
  std::erase_if(parameters, [](const torch::Tensor& parameter) { return !parameter.requires_grad(); });
  return std::visit(MakeOptimizer{std::move(parameters)}, spec);
}

}  // namespace lightrun::optim
