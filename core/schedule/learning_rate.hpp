#pragma once

#include <cstdint>
#include <optional>
#include <vector>

/// Learning rates in closed form: each a pure function of the base rate and of how often the schedule has
/// advanced (`count`, from 0). Equal to PyTorch's (Python) schedulers of the same names; the C++ StepLR is
/// one step late. A schedule with an end holds its last value from there on.
namespace lightrun::schedule {

/// base * gamma^(count / step_size). torch.optim.lr_scheduler.StepLR.
[[nodiscard]] double step_decay(double base, int64_t count, int64_t step_size, double gamma);

/// base * gamma^(number of milestones <= count). MultiStepLR.
[[nodiscard]] double multi_step(double base, int64_t count, const std::vector<int64_t>& milestones,
                                double gamma);

/// base * gamma^count. ExponentialLR.
[[nodiscard]] double exponential(double base, int64_t count, double gamma);

/// eta_min + (base - eta_min) * (1 + cos(pi * count / t_max)) / 2. CosineAnnealingLR: after t_max it rises
/// again.
[[nodiscard]] double cosine(double base, int64_t count, int64_t t_max, double eta_min);

/// The cosine from base to eta_min over t_0 counts, then again from base, each time over t_mult times as
/// many. CosineAnnealingWarmRestarts.
[[nodiscard]] double cosine_restarts(double base, int64_t count, int64_t t_0, int64_t t_mult, double eta_min);

/// base times a factor on the straight line from start_factor, at 0, to end_factor, at total_iters. LinearLR.
[[nodiscard]] double linear(double base, int64_t count, double start_factor, double end_factor,
                            int64_t total_iters);

/// base * (1 - count / total_iters)^power. PolynomialLR.
[[nodiscard]] double polynomial(double base, int64_t count, int64_t total_iters, double power);

/// base * factor before total_iters, then base. ConstantLR.
[[nodiscard]] double constant(double base, int64_t count, double factor, int64_t total_iters);

struct OneCycleShape {
  int64_t total_steps = 2;
  double pct_start = 0.3;         ///< share of total_steps that goes up
  bool linear = false;            ///< in straight lines, not along cosines
  double div_factor = 25;         ///< the start is max_lr / div_factor
  double final_div_factor = 1e4;  ///< the end is the start / final_div_factor
  bool three_phase = false;       ///< down to the start over as many steps as up, then to the end
};
/// Up to max_lr and down again; count total_steps - 1 is the last of the way. OneCycleLR.
[[nodiscard]] double one_cycle(double max_lr, int64_t count, const OneCycleShape& shape);

/// The factor on the rate while it warms up: start_factor at 0, on a straight line to 1 at `warmup`, 1 from
/// there on.
[[nodiscard]] double warmed_up(int64_t count, int64_t warmup, double start_factor);

/// What ReduceLROnPlateau has seen so far.
struct Plateau {
  std::optional<double> best;
  int64_t bad = 0;         ///< values in a row that were no better
  int64_t cooldown = 0;    ///< values still to come that do not count as bad
  int64_t reductions = 0;  ///< how often the rate was to be reduced

  bool operator==(const Plateau&) const = default;
};

struct PlateauRule {
  bool higher_is_better = false;
  double factor = 0.1;
  int64_t patience = 10;
  double threshold = 1e-4;
  bool relative = true;  ///< the threshold is a share of the best value
  int64_t cooldown = 0;
  double min_lr = 0;
  double eps = 1e-8;
};

/// What is known after one more value of the metric; a NaN is no better than anything.
/// ReduceLROnPlateau.step.
[[nodiscard]] Plateau after(Plateau plateau, double value, const PlateauRule& rule);

/// The rate after that many reductions: each takes it to max(rate * factor, min_lr), unless that lowers it by
/// no more than eps.
[[nodiscard]] double reduced(double base, int64_t reductions, const PlateauRule& rule);

}  // namespace lightrun::schedule
