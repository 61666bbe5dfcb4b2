#pragma once

#include <cstdint>
#include <vector>

/// Learning rates in closed form: each a pure function of the base rate and of how often the schedule has
/// advanced
/// (`count`, from 0). Equal to PyTorch's (Python) schedulers of the same names; the C++ StepLR is one step
/// late.
namespace lightrun::schedule {

/// base * gamma^(count / step_size). torch.optim.lr_scheduler.StepLR.
[[nodiscard]] double step_decay(double base, int64_t count, int64_t step_size, double gamma);

/// base * gamma^(number of milestones <= count). MultiStepLR.
[[nodiscard]] double multi_step(double base, int64_t count, const std::vector<int64_t>& milestones,
                                double gamma);

/// base * gamma^count. ExponentialLR.
[[nodiscard]] double exponential(double base, int64_t count, double gamma);

/// eta_min + (base - eta_min) * (1 + cos(pi * count / t_max)) / 2. CosineAnnealingLR.
[[nodiscard]] double cosine(double base, int64_t count, int64_t t_max, double eta_min);

}  // namespace lightrun::schedule
