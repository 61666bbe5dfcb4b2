#include "config/block.hpp"
#include "config/fields.hpp"

// PyTorch's names, defaults and checks (torch/optim/*.py).
namespace lightrun::config {

namespace {

Field rate(double& lr) {
  return setting("lr", lr, number(at_least(0)), "Learning rate");
}
Field decay(double& weight_decay) {
  return setting("weight_decay", weight_decay, number(at_least(0)), "L2 penalty");
}
Field epsilon(double& eps) {
  return setting("eps", eps, number(at_least(0)), "Added to the denominator");
}
Field averages(std::vector<double>& betas) {
  return setting("betas", betas, list(number(from_below(0, 1)), 2),
                 "Decay of the running averages of the gradient and its square");
}
Field factor(double& gamma) {
  return setting("gamma", gamma, number(above(0)), "Factor on the learning rate");
}

/// Adam and AdamW have the same settings.
template <typename Adam>
std::vector<Field> adam_fields(Adam& adam, const std::string& decay_help) {
  return {rate(adam.lr), averages(adam.betas), epsilon(adam.eps),
          setting("weight_decay", adam.weight_decay, number(at_least(0)), decay_help),
          setting("amsgrad", adam.amsgrad, boolean(), "Use the largest average of squares seen so far")};
}

}  // namespace

Block describe(SgdSpec& sgd) {
  return {.type = "sgd",
          .help = "Stochastic gradient descent",
          .fields = {rate(sgd.lr), setting("momentum", sgd.momentum, number(at_least(0)), "Momentum"),
                     setting("dampening", sgd.dampening, number(any()), "Dampening of the momentum"),
                     decay(sgd.weight_decay),
                     setting("nesterov", sgd.nesterov, boolean(),
                             "Nesterov's momentum: needs momentum > 0, dampening 0")}};
}

Block describe(AdamSpec& adam) {
  return {.type = "adam", .help = "Adam", .fields = adam_fields(adam, "L2 penalty")};
}

Block describe(AdamWSpec& adamw) {
  return {.type = "adamw",
          .help = "Adam with decoupled weight decay",
          .fields = adam_fields(adamw, "Decay of the weights, times the learning rate")};
}

Block describe(RmspropSpec& rmsprop) {
  return {
      .type = "rmsprop",
      .help = "RMSprop",
      .fields = {rate(rmsprop.lr),
                 setting("alpha", rmsprop.alpha, number(at_least(0)), "Decay of the average of squares"),
                 epsilon(rmsprop.eps), decay(rmsprop.weight_decay),
                 setting("momentum", rmsprop.momentum, number(at_least(0)), "Momentum"),
                 setting("centered", rmsprop.centered, boolean(), "Divide by an estimate of the variance")}};
}

Block describe(AdagradSpec& adagrad) {
  return {.type = "adagrad",
          .help = "Adagrad",
          .fields = {rate(adagrad.lr),
                     setting("lr_decay", adagrad.lr_decay, number(at_least(0)), "Decay of the learning rate"),
                     decay(adagrad.weight_decay),
                     setting("initial_accumulator_value", adagrad.initial_accumulator_value,
                             number(at_least(0)), "Where the sum of squares starts"),
                     epsilon(adagrad.eps)}};
}

Block describe(StepDecaySpec& step) {
  return {.type = "step",
          .help = "gamma every step_size",
          .fields = {setting("step_size", step.step_size, whole(at_least(1)),
                             "Epochs (or steps) between two decays"),
                     factor(step.gamma)}};
}

Block describe(MultiStepSpec& multi_step) {
  return {.type = "multi_step",
          .help = "gamma at each milestone",
          .fields = {required("milestones", multi_step.milestones, list(whole(at_least(0))),
                              "Epochs (or steps) at which the learning rate decays"),
                     factor(multi_step.gamma)}};
}

Block describe(ExponentialSpec& exponential) {
  return {
      .type = "exponential", .help = "gamma every epoch (or step)", .fields = {factor(exponential.gamma)}};
}

Block describe(CosineSpec& cosine) {
  return {.type = "cosine",
          .help = "Down to eta_min along half a cosine",
          .fields = {setting("t_max", cosine.t_max, whole(at_least(1)), "Epochs (or steps) of the way down"),
                     setting("eta_min", cosine.eta_min, number(at_least(0)), "Lowest learning rate")}};
}

Block describe(SchedulerSpec& scheduler) {
  Block block = describe(scheduler.shape);
  block.fields.push_back(setting("interval", scheduler.interval,
                                 choice<Interval>({{"epoch", Interval::epoch}, {"step", Interval::step}}),
                                 "Count epochs, or optimizer steps"));
  block.fields.push_back(setting("frequency", scheduler.frequency, whole(at_least(1)),
                                 "Change the rate only at every n-th of them"));
  return block;
}

std::vector<SchedulerSpec> one_of_each(const SchedulerSpec* /*which*/) {
  std::vector<SchedulerSpec> schedulers;
  for (auto& shape : one_of_each(static_cast<const decltype(SchedulerSpec::shape)*>(nullptr))) {
    schedulers.push_back({.shape = std::move(shape)});
  }
  return schedulers;
}

}  // namespace lightrun::config
