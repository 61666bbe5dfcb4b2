#pragma once

#include <torch/types.h>

#include <array>
#include <string_view>
#include <utility>

namespace lightrun::state {

/// How Python's torch.save calls a storage of a type, each of module `torch`: of the types that LibTorch 1.13
/// and all later ones have.
inline constexpr std::array kPythonStorageTypes =
    std::to_array<std::pair<std::string_view, torch::ScalarType>>({
        {"FloatStorage", torch::kFloat32},
        {"DoubleStorage", torch::kFloat64},
        {"HalfStorage", torch::kFloat16},
        {"BFloat16Storage", torch::kBFloat16},
        {"LongStorage", torch::kInt64},
        {"IntStorage", torch::kInt32},
        {"ShortStorage", torch::kInt16},
        {"CharStorage", torch::kInt8},
        {"ByteStorage", torch::kUInt8},
        {"BoolStorage", torch::kBool},
        {"ComplexFloatStorage", torch::kComplexFloat},
        {"ComplexDoubleStorage", torch::kComplexDouble},
    });

}  // namespace lightrun::state
