#pragma once

#include <torch/types.h>

#include <map>
#include <string>

namespace lightrun::state {

/// What keeps weights in a file from being the model's, for a message: a line for each difference in name,
/// shape or dtype, indented; then, where it looks like one thing that is wrong all through (names that all
/// begin with "module.", another dtype), a line that says so and what to do. "" where they fit.
[[nodiscard]] std::string misfit(const std::map<std::string, torch::Tensor>& in_file,
                                 const std::map<std::string, torch::Tensor>& in_model);

}  // namespace lightrun::state
