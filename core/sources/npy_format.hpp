#pragma once

#include <torch/types.h>

#include <array>
#include <string_view>
#include <utility>

/// What reading and writing .npy files share.
/// The format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
namespace lightrun::sources {

inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

/// The types that both the format and LibTorch have, by their names in a file.
inline constexpr auto kNpyTypes = std::to_array<std::pair<std::string_view, torch::ScalarType>>({
    {"|b1", torch::kBool},
    {"|u1", torch::kUInt8},
    {"|i1", torch::kInt8},
    {"<i2", torch::kInt16},
    {"<i4", torch::kInt32},
    {"<i8", torch::kInt64},
    {"<f2", torch::kFloat16},
    {"<f4", torch::kFloat32},
    {"<f8", torch::kFloat64},
});

}  // namespace lightrun::sources
