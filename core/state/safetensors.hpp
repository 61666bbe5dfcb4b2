#pragma once

#include <torch/types.h>

#include <filesystem>
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

/// What a safetensors file holds. Tensors are on the CPU and own their data.
struct SafetensorsFile {
  std::map<std::string, torch::Tensor> tensors;
  std::map<std::string, std::string> metadata;
};

/// Reads a whole file. Throws RunError naming the path and what is wrong with it: not there, truncated, a
/// header that is no JSON of this format, a tensor of unknown type, or one that lies outside the data.
[[nodiscard]] SafetensorsFile read_safetensors(const std::filesystem::path& path);

}  // namespace lightrun::state
