#include "schedule/learning_rate.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lightrun::schedule {

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

}  // namespace lightrun::schedule
