#pragma once

#include "config/run_spec.hpp"

#include <torch/types.h>

#include <optional>
#include <string>
#include <vector>

namespace lightrun::optim {

/// A tensor and what to call it.
using NamedTensors = std::vector<std::pair<std::string, torch::Tensor>>;

/// L2 norm over all gradients there are; 0 without any. Not finite when any of them is not (or in the rare
/// case that the sum of squares overflows).
[[nodiscard]] double gradient_norm(const std::vector<torch::Tensor>& parameters);

/// By norm: scales every gradient by min(1, limit / (norm + 1e-6)), as torch.nn.utils.clip_grad_norm_. By
/// value: cuts every entry to [-limit, limit]. `norm` is gradient_norm(parameters) and must be finite.
void clip_gradients(const std::vector<torch::Tensor>& parameters, config::ClipAlgorithm algorithm,
                    double limit, double norm);

void scale_gradients(const std::vector<torch::Tensor>& parameters, double factor);

/// Whether no tensor has a NaN or an infinity: one reduction over all, read once.
[[nodiscard]] bool all_finite(const std::vector<torch::Tensor>& tensors);

/// Name of the first parameter whose gradient, or whose value, has a NaN or an infinity.
[[nodiscard]] std::optional<std::string> first_nonfinite_gradient(const NamedTensors& parameters);
[[nodiscard]] std::optional<std::string> first_nonfinite_value(const NamedTensors& parameters);

}  // namespace lightrun::optim
