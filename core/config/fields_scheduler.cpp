#include "config/block.hpp"
#include "config/fields.hpp"

// PyTorch's names and defaults (torch/optim/lr_scheduler.py), but where PyTorch wants to be told how long the
// run is, null is the whole run.
namespace lightrun::config {

namespace {

constexpr const char* kWholeRun = "Epochs (or steps) of the whole way; null: up to the end of the run";

Field gamma(double& factor) {
  return setting("gamma", factor, number(above(0)), "Factor on the learning rate at each decay");
}
Field lowest(double& eta_min) {
  return setting("eta_min", eta_min, number(at_least(0)), "Lowest learning rate");
}

}  // namespace

Block describe(StepDecaySpec& step) {
  return {.type = "step",
          .help = "The rate times gamma at every multiple of step_size",
          .fields = {setting("step_size", step.step_size, whole(at_least(1)),
                             "Epochs (or steps) between two decays"),
                     gamma(step.gamma)}};
}

Block describe(MultiStepSpec& multi_step) {
  return {.type = "multi_step",
          .help = "The rate times gamma at each milestone",
          .fields = {required("milestones", multi_step.milestones, list(whole(at_least(0))),
                              "Epochs (or steps) at which the learning rate decays"),
                     gamma(multi_step.gamma)}};
}

Block describe(ExponentialSpec& exponential) {
  return {.type = "exponential",
          .help = "The rate times gamma at every epoch (or step)",
          .fields = {gamma(exponential.gamma)}};
}

Block describe(CosineSpec& cosine) {
  return {.type = "cosine",
          .help = "Down to eta_min along half a cosine, and up again after t_max",
          .fields = {setting("t_max", cosine.t_max, or_null(whole(at_least(1))), kWholeRun),
                     lowest(cosine.eta_min)}};
}

Block describe(CosineRestartsSpec& cosine) {
  return {
      .type = "cosine_restarts",
      .help = "Down to eta_min along half a cosine, and from the start again",
      .fields = {setting("t_0", cosine.t_0, whole(at_least(1)), "Epochs (or steps) of the first way down"),
                 setting("t_mult", cosine.t_mult, whole(at_least(1)),
                         "Each way down is this many times as long as the one before"),
                 lowest(cosine.eta_min)}};
}

Block describe(LinearSpec& linear) {
  return {.type = "linear",
          .help = "A factor on the rate that goes from one value to another in a straight line",
          .fields = {setting("start_factor", linear.start_factor, number(above(0)), "Factor at the start"),
                     setting("end_factor", linear.end_factor, number(at_least(0)), "Factor from the end on"),
                     setting("total_iters", linear.total_iters, whole(at_least(1)),
                             "Epochs (or steps) from one to the other")}};
}

Block describe(PolynomialSpec& polynomial) {
  return {.type = "polynomial",
          .help = "Down to 0 as (1 - progress)^power",
          .fields = {setting("total_iters", polynomial.total_iters, or_null(whole(at_least(1))), kWholeRun),
                     setting("power", polynomial.power, number(at_least(0)), "1 is a straight line")}};
}

Block describe(OneCycleSpec& one_cycle) {
  return {
      .type = "one_cycle",
      .help = "Up to max_lr, then down far below the start; momentum stays as it is",
      .fields = {setting("max_lr", one_cycle.max_lr, or_null(number(above(0))),
                         "Highest learning rate; null: the optimizer's lr"),
                 setting("total_steps", one_cycle.total_steps, or_null(whole(at_least(2))), kWholeRun),
                 setting("pct_start", one_cycle.pct_start, number(from_below(0, 1)),
                         "Share of the way that goes up"),
                 setting("anneal_strategy", one_cycle.anneal_strategy,
                         choice<Anneal>({{"cos", Anneal::cos}, {"linear", Anneal::linear}}),
                         "Along a cosine, or in straight lines"),
                 setting("div_factor", one_cycle.div_factor, number(above(0)), "The start is max_lr / this"),
                 setting("final_div_factor", one_cycle.final_div_factor, number(above(0)),
                         "The end is the start / this"),
                 setting("three_phase", one_cycle.three_phase, boolean(),
                         "Down to the start first, then to the end")}};
}

Block describe(ConstantSpec& constant) {
  return {.type = "constant",
          .help = "A factor on the rate for a while, then the rate itself",
          .fields = {setting("factor", constant.factor, number(above(0)), "Factor before total_iters"),
                     setting("total_iters", constant.total_iters, whole(at_least(0)),
                             "Epochs (or steps) it holds for")}};
}

Block describe(ReduceOnPlateauSpec& plateau) {
  return {
      .type = "reduce_on_plateau",
      .help = "Lower when a metric no longer becomes better",
      .fields = {setting("monitor", plateau.monitor, text(), "Metric to watch"),
                 setting("mode", plateau.mode, choice<Mode>({{"min", Mode::min}, {"max", Mode::max}}),
                         "Whether less or more is better"),
                 setting("factor", plateau.factor, number(from_below(0, 1)),
                         "Factor on the learning rate where it is lowered"),
                 setting("patience", plateau.patience, whole(at_least(0)),
                         "So many values in a row may be no better; the next one lowers the rate"),
                 setting("threshold", plateau.threshold, number(at_least(0)),
                         "A value is better only if it is so by more than this"),
                 setting("threshold_mode", plateau.threshold_mode,
                         choice<ThresholdMode>({{"rel", ThresholdMode::rel}, {"abs", ThresholdMode::abs}}),
                         "The threshold is a share of the best value, or an amount"),
                 setting("cooldown", plateau.cooldown, whole(at_least(0)),
                         "Values after a change that do not count against the patience"),
                 setting("min_lr", plateau.min_lr, number(at_least(0)), "Lowest learning rate"),
                 setting("eps", plateau.eps, number(at_least(0)), "A smaller change is not made")}};
}

Block describe(SchedulerSpec& scheduler) {
  Block block = describe(scheduler.shape);
  block.fields.push_back(setting("warmup", scheduler.warmup, whole(at_least(0)),
                                 "Epochs (or steps) in which the rate first rises to the optimizer's own"));
  block.fields.push_back(setting("warmup_start_factor", scheduler.warmup_start_factor, number(at_least(0)),
                                 "Factor on the rate at the start of the warm-up"));
  block.fields.push_back(
      setting("interval", scheduler.interval,
              choice<Interval>({{"epoch", Interval::epoch}, {"step", Interval::step}}),
              "What is counted, also in warmup, t_max and the like: epochs, or optimizer steps"));
  block.fields.push_back(setting("frequency", scheduler.frequency, whole(at_least(1)),
                                 "Change the rate only at every n-th epoch (or step)"));
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
