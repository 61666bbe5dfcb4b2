#include "optim/gradients.hpp"

#include <cmath>

namespace lightrun::optim {
namespace {

bool all_finite(const torch::Tensor& tensor) {
  return !tensor.is_floating_point() || at::isfinite(tensor).all().item<bool>();
}

}  // namespace

double gradient_norm(const std::vector<torch::Tensor>& parameters) {
  std::vector<torch::Tensor> norms;
  norms.reserve(parameters.size());
  for (const auto& parameter : parameters) {
    if (parameter.grad().defined()) norms.push_back(parameter.grad().norm());
  }
  if (norms.empty()) return 0;
  return norms.size() == 1 ? norms.front().item<double>() : at::stack(norms).norm().item<double>();
}

void clip_gradients(const std::vector<torch::Tensor>& parameters, config::ClipAlgorithm algorithm,
                    double limit, double norm) {
  if (algorithm == config::ClipAlgorithm::norm) {
    const double factor = limit / (norm + 1e-6);
    if (factor < 1) scale_gradients(parameters, factor);
    return;
  }
  for (const auto& parameter : parameters) {
    if (parameter.grad().defined()) parameter.grad().clamp_(-limit, limit);
  }
}

void scale_gradients(const std::vector<torch::Tensor>& parameters, double factor) {
  const torch::NoGradGuard no_grad;
  for (const auto& parameter : parameters) {
    if (parameter.grad().defined()) parameter.grad().mul_(factor);
  }
}

std::optional<std::string> first_nonfinite_gradient(const NamedTensors& parameters) {
  for (const auto& [name, parameter] : parameters) {
    if (parameter.grad().defined() && !all_finite(parameter.grad())) return name;
  }
  return std::nullopt;
}

std::optional<std::string> first_nonfinite_value(const NamedTensors& parameters) {
  for (const auto& [name, parameter] : parameters) {
    if (!all_finite(parameter)) return name;
  }
  return std::nullopt;
}

}  // namespace lightrun::optim
