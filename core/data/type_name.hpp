#pragma once

#include <torch/types.h>

#include <string>

namespace lightrun::data {

/// "float32", as Python calls it.
[[nodiscard]] std::string type_name(torch::ScalarType type);

}  // namespace lightrun::data
