#include "optim/optimizer.hpp"
#include "schedule/learning_rate.hpp"

namespace lightrun::optim {
namespace {

using Rate = std::function<double(double, int64_t)>;

/// The shape's rate as a function of (base rate, count).
struct MakeRate {
  std::optional<int64_t> length;

  [[nodiscard]] int64_t given_or_whole_run(const std::optional<int64_t>& given, const char* setting) const {
    if (given) return *given;
    if (!length) throw UnknownLength{setting};
    return std::max<int64_t>(*length, 1);
  }

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
    return [t_max = given_or_whole_run(spec.t_max, "t_max"), spec](double base, int64_t count) {
      return schedule::cosine(base, count, t_max, spec.eta_min);
    };
  }
  Rate operator()(const config::CosineRestartsSpec& spec) const {
    return [spec](double base, int64_t count) {
      return schedule::cosine_restarts(base, count, spec.t_0, spec.t_mult, spec.eta_min);
    };
  }
  Rate operator()(const config::LinearSpec& spec) const {
    return [spec](double base, int64_t count) {
      return schedule::linear(base, count, spec.start_factor, spec.end_factor, spec.total_iters);
    };
  }
  Rate operator()(const config::PolynomialSpec& spec) const {
    return [iters = given_or_whole_run(spec.total_iters, "total_iters"), spec](double base, int64_t count) {
      return schedule::polynomial(base, count, iters, spec.power);
    };
  }
  Rate operator()(const config::OneCycleSpec& spec) const {
    const schedule::OneCycleShape shape{
        .total_steps = std::max<int64_t>(given_or_whole_run(spec.total_steps, "total_steps"), 2),
        .pct_start = spec.pct_start,
        .linear = spec.anneal_strategy == config::Anneal::linear,
        .div_factor = spec.div_factor,
        .final_div_factor = spec.final_div_factor,
        .three_phase = spec.three_phase};
    return [shape, max_lr = spec.max_lr](double base, int64_t count) {
      return schedule::one_cycle(max_lr.value_or(base), count, shape);
    };
  }
  Rate operator()(const config::ConstantSpec& spec) const {
    return [spec](double base, int64_t count) {
      return schedule::constant(base, count, spec.factor, spec.total_iters);
    };
  }
  /// The plateau's own rate comes in as the base.
  Rate operator()(const config::ReduceOnPlateauSpec& /*spec*/) const {
    return [](double base, int64_t /*count*/) { return base; };
  }
};

ReduceOnPlateau plateau_of(const config::ReduceOnPlateauSpec& spec) {
  return {.monitor = spec.monitor,
          .higher_is_better = spec.mode == config::Mode::max,
          .factor = spec.factor,
          .patience = spec.patience,
          .threshold = spec.threshold,
          .relative = spec.threshold_mode == config::ThresholdMode::rel,
          .cooldown = spec.cooldown,
          .min_lr = spec.min_lr,
          .eps = spec.eps};
}

}  // namespace

LrSchedule make_schedule(const config::SchedulerSpec& spec, std::optional<int64_t> length) {
  LrSchedule schedule{.rate = std::visit(MakeRate{length}, spec.shape),
                      .interval = spec.interval == config::Interval::step ? LrSchedule::Interval::step
                                                                          : LrSchedule::Interval::epoch,
                      .frequency = spec.frequency};
  if (spec.warmup > 0) {
    schedule.rate = [rate = std::move(schedule.rate), warmup = spec.warmup, start = spec.warmup_start_factor](
                        double base, int64_t count) {
      return count < warmup ? base * schedule::warmed_up(count, warmup, start) : rate(base, count - warmup);
    };
  }
  if (const auto* plateau = std::get_if<config::ReduceOnPlateauSpec>(&spec.shape)) {
    schedule.plateau = plateau_of(*plateau);
  }
  return schedule;
}

}  // namespace lightrun::optim
