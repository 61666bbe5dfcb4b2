#pragma once

#include <torch/types.h>

#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace lightrun::state {

/// Writes named tensors in the safetensors format: `u64 header length | JSON header | data`, little-endian,
/// row-major, aligned to 8 bytes. Any safetensors reader reads it. Throws RunError for a dtype the format has
/// no name for and for two tensors of one name.
/// @param metadata goes into the header's `__metadata__`, text to text
void write_safetensors(std::ostream& out, const std::vector<std::pair<std::string, torch::Tensor>>& tensors,
                       const std::map<std::string, std::string>& metadata);

}  // namespace lightrun::state
