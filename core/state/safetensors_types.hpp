#pragma once

#include "state/safetensors_header.hpp"

#include <torch/types.h>

#include <array>
#include <utility>

namespace lightrun::state {

/// The types that both the format and LibTorch 1.13 have.
inline constexpr std::array kSharedTypes = std::to_array<std::pair<Dtype, torch::ScalarType>>({
    {Dtype::boolean, torch::kBool},
    {Dtype::u8, torch::kUInt8},
    {Dtype::i8, torch::kInt8},
    {Dtype::i16, torch::kInt16},
    {Dtype::f16, torch::kFloat16},
    {Dtype::bf16, torch::kBFloat16},
    {Dtype::i32, torch::kInt32},
    {Dtype::f32, torch::kFloat32},
    {Dtype::c64, torch::kComplexFloat},
    {Dtype::f64, torch::kFloat64},
    {Dtype::i64, torch::kInt64},
});

}  // namespace lightrun::state
