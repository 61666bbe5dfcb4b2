#pragma once

#include "predictions/output.hpp"

#include <torch/types.h>

#include <string>
#include <utility>
#include <vector>

namespace lightrun::predictions {

/// Named tensors on the CPU, contiguous, of the same first dimension: rows.
using Fields = std::vector<std::pair<std::string, torch::Tensor>>;

/// "[8, 3] Float".
[[nodiscard]] std::string type_text(const torch::Tensor& tensor);

/// Those of the fields that the output takes. Throws RunError where it does not take them: no field of the
/// name, several where it takes one, a shape or type that it has no place for; what would take it is named.
/// Only the number of rows does not matter, so that a first batch tells whether all of them can be written.
[[nodiscard]] Fields fields_for(const Output& output, const Fields& fields);

}  // namespace lightrun::predictions
