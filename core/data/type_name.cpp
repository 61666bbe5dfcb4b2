#include "data/type_name.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace lightrun::data {
namespace {

constexpr auto kNames = std::to_array<std::pair<torch::ScalarType, const char*>>({
    {torch::kFloat32, "float32"},
    {torch::kFloat64, "float64"},
    {torch::kFloat16, "float16"},
    {torch::kBFloat16, "bfloat16"},
    {torch::kInt64, "int64"},
    {torch::kInt32, "int32"},
    {torch::kInt16, "int16"},
    {torch::kInt8, "int8"},
    {torch::kUInt8, "uint8"},
    {torch::kBool, "bool"},
});

}  // namespace

std::string type_name(torch::ScalarType type) {
  const auto* at = std::ranges::find(kNames, type, &decltype(kNames)::value_type::first);
  return at == kNames.end() ? c10::toString(type) : at->second;
}

}  // namespace lightrun::data
