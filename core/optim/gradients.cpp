#include "optim/gradients.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace lightrun::optim {
namespace {

bool is_finite(const torch::Tensor& tensor) {
  return !tensor.is_floating_point() || at::isfinite(tensor).all().item<bool>();
}

std::vector<torch::Tensor> gradients_of(const std::vector<torch::Tensor>& parameters) {
  std::vector<torch::Tensor> gradients;
  gradients.reserve(parameters.size());
  for (const auto& parameter : parameters) {
    if (parameter.grad().defined()) gradients.push_back(parameter.grad());
  }
  return gradients;
}

/// L2 norm over all entries of all tensors, read once; 0 without any.
double norm(const std::vector<torch::Tensor>& tensors) {
  if (tensors.empty()) return 0;
  const torch::NoGradGuard no_grad;
  const auto norms = at::_foreach_norm(tensors, 2);
  return norms.size() == 1 ? norms.front().item<double>() : at::stack(norms).norm().item<double>();
}

}  // namespace

double gradient_norm(const std::vector<torch::Tensor>& parameters) {
  return norm(gradients_of(parameters));
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

bool all_finite(const std::vector<torch::Tensor>& tensors) {
  // A norm can overflow while every entry is finite: only then each tensor is looked at.
  return std::isfinite(norm(tensors)) || std::ranges::all_of(tensors, is_finite);
}

std::optional<std::string> first_nonfinite_gradient(const NamedTensors& parameters) {
  for (const auto& [name, parameter] : parameters) {
    if (parameter.grad().defined() && !is_finite(parameter.grad())) return name;
  }
  return std::nullopt;
}

std::optional<std::string> first_nonfinite_value(const NamedTensors& parameters) {
  for (const auto& [name, parameter] : parameters) {
    if (!is_finite(parameter)) return name;
  }
  return std::nullopt;
}

}  // namespace lightrun::optim
