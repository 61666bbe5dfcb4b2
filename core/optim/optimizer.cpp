#include "optim/optimizer.hpp"

#include "schedule/learning_rate.hpp"

#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
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
};

using Rate = std::function<double(double, int64_t)>;

struct MakeRate {
  Rate operator()(const config::StepDecaySpec& spec) const {
    return [spec](double base, int64_t count) {
      return schedule::step_decay(base, count, spec.step_size, spec.gamma);
    };
  }
  Rate operator()(const config::MultiStepSpec& spec) const {
    return [spec](double base, int64_t count) {
      return schedule::multi_step(base, count, spec.milestones, spec.gamma);
    };
  }
  Rate operator()(const config::ExponentialSpec& spec) const {
    return [spec](double base, int64_t count) { return schedule::exponential(base, count, spec.gamma); };
  }
  Rate operator()(const config::CosineSpec& spec) const {
    return [spec](double base, int64_t count) {
      return schedule::cosine(base, count, spec.t_max, spec.eta_min);
    };
  }
};

}  // namespace

OptimizerPtr make_optimizer(const config::OptimizerSpec& spec, Parameters parameters) {
  std::erase_if(parameters, [](const torch::Tensor& parameter) { return !parameter.requires_grad(); });
  return std::visit(MakeOptimizer{std::move(parameters)}, spec);
}

LrSchedule make_schedule(const config::SchedulerSpec& spec) {
  return {.rate = std::visit(MakeRate{}, spec.shape),
          .interval = spec.interval == config::Interval::step ? LrSchedule::Interval::step
                                                              : LrSchedule::Interval::epoch,
          .frequency = spec.frequency};
}

}  // namespace lightrun::optim
