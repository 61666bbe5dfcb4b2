#pragma once

#include <lightrun/error.hpp>

#include <torch/optim.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

/// The optimizers of a case with several of them: `{"kind": "adam", "args": {"lr": 0.01}, ...}`.
namespace oracle {

namespace optimizers {

/// Applies the arguments with PyTorch's names that `args` has; each is counted.
class Arguments {
 public:
  explicit Arguments(const nlohmann::json& args) : args_(args) {}

  template <typename Options, typename Setter>
  Arguments& set(const char* name, Options& options, Setter&& setter) {
    if (!args_.contains(name)) return *this;
    ++used_;
    setter(options, args_.at(name));
    return *this;
  }

  void check_all_used(const std::string& kind) const {
    if (used_ != args_.size()) {
      throw lightrun::RunError("parity: " + kind + " with " + args_.dump() + ": not all of it is known here");
    }
  }

 private:
  const nlohmann::json& args_;
  std::size_t used_ = 0;
};

#define ORACLE_SET(name) set(#name, options, [](auto& o, const auto& value) { o.name(value); })

inline torch::optim::SGDOptions sgd(const nlohmann::json& args) {
  torch::optim::SGDOptions options(0.01);
  Arguments given(args);
  given.ORACLE_SET(lr).ORACLE_SET(momentum).ORACLE_SET(dampening).ORACLE_SET(weight_decay);
  given.ORACLE_SET(nesterov).check_all_used("sgd");
  return options;
}

template <typename Options>
Options adam(const nlohmann::json& args, const std::string& kind) {
  Options options(1e-3);
  Arguments given(args);
  given.ORACLE_SET(lr).ORACLE_SET(eps).ORACLE_SET(weight_decay).ORACLE_SET(amsgrad);
  given.set("betas", options, [](auto& o, const auto& betas) {
    o.betas(std::make_tuple(betas.at(0).template get<double>(), betas.at(1).template get<double>()));
  });
  given.check_all_used(kind);
  return options;
}

inline torch::optim::RMSpropOptions rmsprop(const nlohmann::json& args) {
  torch::optim::RMSpropOptions options(0.01);
  Arguments given(args);
  given.ORACLE_SET(lr).ORACLE_SET(alpha).ORACLE_SET(eps).ORACLE_SET(weight_decay).ORACLE_SET(momentum);
  given.ORACLE_SET(centered).check_all_used("rmsprop");
  return options;
}

inline torch::optim::AdagradOptions adagrad(const nlohmann::json& args) {
  torch::optim::AdagradOptions options(0.01);
  Arguments given(args);
  given.ORACLE_SET(lr).ORACLE_SET(lr_decay).ORACLE_SET(weight_decay).ORACLE_SET(eps);
  given.ORACLE_SET(initial_accumulator_value).check_all_used("adagrad");
  return options;
}

#undef ORACLE_SET

}  // namespace optimizers

inline std::unique_ptr<torch::optim::Optimizer> make_optimizer(const nlohmann::json& description,
                                                               std::vector<torch::Tensor> parameters) {
  const auto kind = description.at("kind").get<std::string>();
  const auto& args = description.at("args");
  if (kind == "sgd") return std::make_unique<torch::optim::SGD>(std::move(parameters), optimizers::sgd(args));
  if (kind == "adam") {
    return std::make_unique<torch::optim::Adam>(std::move(parameters),
                                                optimizers::adam<torch::optim::AdamOptions>(args, kind));
  }
  if (kind == "adamw") {
    return std::make_unique<torch::optim::AdamW>(std::move(parameters),
                                                 optimizers::adam<torch::optim::AdamWOptions>(args, kind));
  }
  if (kind == "rmsprop")
    return std::make_unique<torch::optim::RMSprop>(std::move(parameters), optimizers::rmsprop(args));
  if (kind == "adagrad")
    return std::make_unique<torch::optim::Adagrad>(std::move(parameters), optimizers::adagrad(args));
  throw lightrun::RunError("parity: the optimizer " + kind + " is not known here");
}

}  // namespace oracle
