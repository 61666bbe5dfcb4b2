#include "schedule/learning_rate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace lightrun::schedule {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// How much of a way of `total` counts is done.
double progress(int64_t count, int64_t total) {
  return static_cast<double>(std::min(count, total)) / static_cast<double>(total);
}

double annealed(double from, double to, double done, bool linear) {
  if (linear) return from + (to - from) * done;
  return to + (from - to) / 2 * (1 + std::cos(std::numbers::pi * done));
}

/// One way of the cycle, up to the step `end`.
struct Phase {
  double end;
  double from;
  double to;
};

std::vector<Phase> phases(double max_lr, const OneCycleShape& shape) {
  const double up = shape.pct_start * static_cast<double>(shape.total_steps);
  const double last = static_cast<double>(shape.total_steps - 1);
  const double first_lr = max_lr / shape.div_factor;
  const double last_lr = first_lr / shape.final_div_factor;
  if (!shape.three_phase) return {{up - 1, first_lr, max_lr}, {last, max_lr, last_lr}};
  return {{up - 1, first_lr, max_lr}, {2 * up - 2, max_lr, first_lr}, {last, first_lr, last_lr}};
}

/// As PyTorch has it, also of a negative best value, where a relative threshold lies on the wrong side.
bool is_better(double value, const std::optional<double>& best, const PlateauRule& rule) {
  if (!best) return rule.higher_is_better ? value > -kInfinity : value < kInfinity;
  const double sign = rule.higher_is_better ? 1 : -1;
  const double bound = rule.relative ? *best * (1 + sign * rule.threshold) : *best + sign * rule.threshold;
  return rule.higher_is_better ? value > bound : value < bound;
}

}  // namespace

double step_decay(double base, int64_t count, int64_t step_size, double gamma) {
  return base * std::pow(gamma, static_cast<double>(count / step_size));
}

double multi_step(double base, int64_t count, const std::vector<int64_t>& milestones, double gamma) {
  const auto passed =
      std::ranges::count_if(milestones, [count](int64_t milestone) { return milestone <= count; });
  return base * std::pow(gamma, static_cast<double>(passed));
}

double exponential(double base, int64_t count, double gamma) {
  return base * std::pow(gamma, static_cast<double>(count));
}

double cosine(double base, int64_t count, int64_t t_max, double eta_min) {
  const double angle = std::numbers::pi * static_cast<double>(count) / static_cast<double>(t_max);
  return eta_min + (base - eta_min) * (1 + std::cos(angle)) / 2;
}

double cosine_restarts(double base, int64_t count, int64_t t_0, int64_t t_mult, double eta_min) {
  if (t_mult == 1) return cosine(base, count % t_0, t_0, eta_min);
  int64_t length = t_0;
  while (count >= length) {
    count -= length;
    if (length > std::numeric_limits<int64_t>::max() / t_mult) break;
    length *= t_mult;
  }
  return cosine(base, count, length, eta_min);
}

double linear(double base, int64_t count, double start_factor, double end_factor, int64_t total_iters) {
  return base * (start_factor + (end_factor - start_factor) * progress(count, total_iters));
}

double polynomial(double base, int64_t count, int64_t total_iters, double power) {
  return base * std::pow(1 - progress(count, total_iters), power);
}

double constant(double base, int64_t count, double factor, int64_t total_iters) {
  return count < total_iters ? base * factor : base;
}

double one_cycle(double max_lr, int64_t count, const OneCycleShape& shape) {
  const double step = static_cast<double>(std::min(count, shape.total_steps - 1));
  double start = 0;
  const std::vector<Phase> all = phases(max_lr, shape);
  for (const Phase& phase : all) {
    // Rounding may leave the last step a hair behind the last phase.
    if (step <= phase.end || &phase == &all.back()) {
      // PyTorch divides by zero where a way has no length.
      const double done = phase.end > start ? (step - start) / (phase.end - start) : 1;
      return annealed(phase.from, phase.to, done, shape.linear);
    }
    start = phase.end;
  }
  return max_lr;
}

double warmed_up(int64_t count, int64_t warmup, double start_factor) {
  if (count >= warmup) return 1;
  return start_factor + (1 - start_factor) * progress(count, warmup);
}

Plateau after(Plateau plateau, double value, const PlateauRule& rule) {
  if (is_better(value, plateau.best, rule)) {
    plateau.best = value;
    plateau.bad = 0;
  } else {
    ++plateau.bad;
  }
  if (plateau.cooldown > 0) {
    --plateau.cooldown;
    plateau.bad = 0;
  }
  if (plateau.bad > rule.patience) {
    ++plateau.reductions;
    plateau.cooldown = rule.cooldown;
    plateau.bad = 0;
  }
  return plateau;
}

double reduced(double base, int64_t reductions, const PlateauRule& rule) {
  double rate = base;
  for (int64_t i = 0; i < reductions; ++i) {
    const double lower = std::max(rate * rule.factor, rule.min_lr);
    if (rate - lower <= rule.eps) break;
    rate = lower;
  }
  return rate;
}

}  // namespace lightrun::schedule
