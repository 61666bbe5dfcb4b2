#include "config/block.hpp"
#include "config/fields.hpp"

// PyTorch's names, defaults and checks (torch/optim/*.py).
namespace lightrun::config {

namespace {

Field rate(double& lr) {
  return setting("lr", lr, number(at_least(0)), "Learning rate");
}
Field decay(double& weight_decay) {
  return setting("weight_decay", weight_decay, number(at_least(0)),
                 "L2 penalty: so many times the parameter is added to its gradient");
}
Field epsilon(double& eps) {
  return setting("eps", eps, number(at_least(0)), "Added to the denominator, against division by zero");
}
Field averages(std::vector<double>& betas) {
  return setting("betas", betas, list(number(from_below(0, 1)), 2),
                 "Decay of the running averages of the gradient and its square");
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
          .fields = {rate(sgd.lr),
                     setting("momentum", sgd.momentum, number(at_least(0)),
                             "Share of the sum of past gradients that is added to the gradient; 0: none"),
                     setting("dampening", sgd.dampening, number(any()),
                             "A new gradient enters that sum times 1 - dampening"),
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
                 setting("momentum", rmsprop.momentum, number(at_least(0)),
                         "Share of the sum of past updates that is kept; 0: none"),
                 setting("centered", rmsprop.centered, boolean(), "Divide by an estimate of the variance")}};
}

Block describe(AdagradSpec& adagrad) {
  return {.type = "adagrad",
          .help = "Adagrad",
          .fields = {rate(adagrad.lr),
                     setting("lr_decay", adagrad.lr_decay, number(at_least(0)), "Decay of the learning rate"),
                     decay(adagrad.weight_decay),
                     setting("initial_accumulator_value", adagrad.initial_accumulator_value,
                             number(at_least(0)), "Start of the sum of squared gradients"),
                     epsilon(adagrad.eps)}};
}

Block describe(LbfgsSpec& lbfgs) {
  return {
      .type = "lbfgs",
      .help = "L-BFGS: evaluates the loss several times a step",
      .fields = {rate(lbfgs.lr), setting("max_iter", lbfgs.max_iter, whole(at_least(1)), "Iterations a step"),
                 setting("max_eval", lbfgs.max_eval, or_null(whole(at_least(1))),
                         "Evaluations of the loss a step; null: 1.25 * max_iter"),
                 setting("tolerance_grad", lbfgs.tolerance_grad, number(at_least(0)),
                         "The step ends where the largest gradient is at most this"),
                 setting("tolerance_change", lbfgs.tolerance_change, number(at_least(0)),
                         "The step ends where loss or parameters change by less"),
                 setting("history_size", lbfgs.history_size, whole(at_least(1)), "Updates remembered"),
                 setting("line_search_fn", lbfgs.line_search_fn,
                         choice<LineSearch>(
                             {{"none", LineSearch::none}, {"strong_wolfe", LineSearch::strong_wolfe}}),
                         "How the length of an iteration is found; none: lr")}};
}

}  // namespace lightrun::config
