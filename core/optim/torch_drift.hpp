#pragma once

#include <torch/types.h>
#include <torch/version.h>

#include <ATen/autocast_mode.h>

/// What LibTorch's versions call by different names.
namespace lightrun::drift {

/// Under which key an optimizer's state() keeps that of a parameter: a text in 1.13, the address in 2.x.
inline auto optimizer_state_key(const torch::Tensor& parameter) {
#if TORCH_VERSION_MAJOR >= 2
  return static_cast<void*>(parameter.unsafeGetTensorImpl());
#else
  return c10::guts::to_string(parameter.unsafeGetTensorImpl());
#endif
}

/// Whether an optimizer's zero_grad() takes the gradients away, and step() passes over parameters that then
/// get none, instead of filling them with zeros.
inline constexpr bool kZeroGradForgets = TORCH_VERSION_MAJOR >= 2;

inline void start_autocast(bool on_cuda, torch::ScalarType type) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
  const auto device = on_cuda ? at::kCUDA : at::kCPU;
  at::autocast::set_autocast_enabled(device, true);
  at::autocast::set_autocast_dtype(device, type);
#else
  if (on_cuda) {
    at::autocast::set_enabled(true);
    at::autocast::set_autocast_gpu_dtype(type);
  } else {
    at::autocast::set_cpu_enabled(true);
    at::autocast::set_autocast_cpu_dtype(type);
  }
#endif
  at::autocast::increment_nesting();
}

/// Casts of weights are kept until here: they are of weights that are about to change.
inline void end_autocast(bool on_cuda) {
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
  at::autocast::set_autocast_enabled(on_cuda ? at::kCUDA : at::kCPU, false);
#else
  on_cuda ? at::autocast::set_enabled(false) : at::autocast::set_cpu_enabled(false);
#endif
}

}  // namespace lightrun::drift
