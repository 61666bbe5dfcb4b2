#pragma once

#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/lbfgs.h>
#include <torch/optim/rmsprop.h>
#include <torch/optim/sgd.h>

#include <string_view>
#include <tuple>
#include <typeinfo>

/// The fields of LibTorch's optimizers, each with its name, once; saving and restoring go through these.
namespace lightrun::optim {

template <typename Visit>
void for_each_field(torch::optim::SGDOptions& options, Visit&& visit) {
  visit("lr", options.lr());
  visit("momentum", options.momentum());
  visit("dampening", options.dampening());
  visit("weight_decay", options.weight_decay());
  visit("nesterov", options.nesterov());
}
template <typename Visit>
void for_each_field(torch::optim::SGDParamState& state, Visit&& visit) {
  visit("momentum_buffer", state.momentum_buffer());
}

/// Adam's and AdamW's are alike.
template <typename Options, typename Visit>
void for_each_adam_option(Options& options, Visit&& visit) {
  visit("lr", options.lr());
  visit("betas", options.betas());
  visit("eps", options.eps());
  visit("weight_decay", options.weight_decay());
  visit("amsgrad", options.amsgrad());
}
template <typename State, typename Visit>
void for_each_adam_field(State& state, Visit&& visit) {
  visit("step", state.step());
  visit("exp_avg", state.exp_avg());
  visit("exp_avg_sq", state.exp_avg_sq());
  visit("max_exp_avg_sq", state.max_exp_avg_sq());
}
template <typename Visit>
void for_each_field(torch::optim::AdamOptions& options, Visit&& visit) {
  for_each_adam_option(options, visit);
}
template <typename Visit>
void for_each_field(torch::optim::AdamWOptions& options, Visit&& visit) {
  for_each_adam_option(options, visit);
}
template <typename Visit>
void for_each_field(torch::optim::AdamParamState& state, Visit&& visit) {
  for_each_adam_field(state, visit);
}
template <typename Visit>
void for_each_field(torch::optim::AdamWParamState& state, Visit&& visit) {
  for_each_adam_field(state, visit);
}

template <typename Visit>
void for_each_field(torch::optim::RMSpropOptions& options, Visit&& visit) {
  visit("lr", options.lr());
  visit("alpha", options.alpha());
  visit("eps", options.eps());
  visit("weight_decay", options.weight_decay());
  visit("momentum", options.momentum());
  visit("centered", options.centered());
}
template <typename Visit>
void for_each_field(torch::optim::RMSpropParamState& state, Visit&& visit) {
  visit("step", state.step());
  visit("square_avg", state.square_avg());
  visit("momentum_buffer", state.momentum_buffer());
  visit("grad_avg", state.grad_avg());
}

template <typename Visit>
void for_each_field(torch::optim::AdagradOptions& options, Visit&& visit) {
  visit("lr", options.lr());
  visit("lr_decay", options.lr_decay());
  visit("weight_decay", options.weight_decay());
  visit("initial_accumulator_value", options.initial_accumulator_value());
  visit("eps", options.eps());
}
template <typename Visit>
void for_each_field(torch::optim::AdagradParamState& state, Visit&& visit) {
  visit("sum", state.sum());
  visit("step", state.step());
}

template <typename Visit>
void for_each_field(torch::optim::LBFGSOptions& options, Visit&& visit) {
  visit("lr", options.lr());
  visit("max_iter", options.max_iter());
  visit("max_eval", options.max_eval());
  visit("tolerance_grad", options.tolerance_grad());
  visit("tolerance_change", options.tolerance_change());
  visit("history_size", options.history_size());
  visit("line_search_fn", options.line_search_fn());
}
template <typename Visit>
void for_each_field(torch::optim::LBFGSParamState& state, Visit&& visit) {
  visit("func_evals", state.func_evals());
  visit("n_iter", state.n_iter());
  visit("t", state.t());
  visit("prev_loss", state.prev_loss());
  visit("d", state.d());
  visit("H_diag", state.H_diag());
  visit("prev_flat_grad", state.prev_flat_grad());
  visit("old_dirs", state.old_dirs());
  visit("old_stps", state.old_stps());
  visit("ro", state.ro());
  visit("al", state.al());
}

/// A kind of optimizer with the types of its options and of its parameters' state.
template <typename OptionsType, typename StateType>
struct KnownKind {
  using Options = OptionsType;
  using State = StateType;
  std::string_view name;
};

inline constexpr std::tuple kKnownKinds = {
    KnownKind<torch::optim::SGDOptions, torch::optim::SGDParamState>{"sgd"},
    KnownKind<torch::optim::AdamOptions, torch::optim::AdamParamState>{"adam"},
    KnownKind<torch::optim::AdamWOptions, torch::optim::AdamWParamState>{"adamw"},
    KnownKind<torch::optim::RMSpropOptions, torch::optim::RMSpropParamState>{"rmsprop"},
    KnownKind<torch::optim::AdagradOptions, torch::optim::AdagradParamState>{"adagrad"},
    KnownKind<torch::optim::LBFGSOptions, torch::optim::LBFGSParamState>{"lbfgs"}};

/// Calls `function(kind)` for the kind that `is_it` says yes to. False: none.
template <typename IsIt, typename Function>
bool with_kind(IsIt&& is_it, Function&& function) {
  const auto try_one = [&](const auto& kind) {
    if (!is_it(kind)) return false;
    function(kind);
    return true;
  };
  return std::apply([&](const auto&... kinds) { return (try_one(kinds) || ...); }, kKnownKinds);
}

}  // namespace lightrun::optim
