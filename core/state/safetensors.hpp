#pragma once

#include "state/safetensors_header.hpp"

#include <torch/types.h>

#include <filesystem>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace lightrun::state {

/// Why the format cannot hold a tensor, if it cannot ("it is not dense"). It has no name for complex double
/// and the quantized types.
[[nodiscard]] std::optional<std::string> reason_not_to_save(const torch::Tensor& tensor);

/// What protects a file's bytes: nothing but its structure, or a checksum over all of them, in the metadata
/// (see safetensors_checksum.hpp). Other programs read a file with one just as well.
enum class Checksum { none, crc32c };

/// Writes named tensors in the safetensors format: row-major, the widest types first, each aligned to its own
/// size. Any safetensors reader reads it. CPU tensors that are contiguous are written from where they are;
/// others are copied first. Nothing is seeked. Throws RunError, and has written nothing, for a tensor that is
/// not dense or whose type cannot be saved, for two tensors of one name, for text that is not UTF-8, and for
/// metadata called "lightrun.*" where there is no checksum.
/// @param metadata goes into the header's `__metadata__`, text to text
void write_safetensors(std::ostream& out, const std::vector<std::pair<std::string, torch::Tensor>>& tensors,
                       const std::map<std::string, std::string>& metadata,
                       Checksum checksum = Checksum::crc32c);

/// What a safetensors file holds. Tensors are on the CPU and own their data.
struct SafetensorsFile {
  std::map<std::string, torch::Tensor> tensors;
  std::map<std::string, std::string> metadata;  ///< without the checksum
  bool verified = false;                        ///< whether there is a checksum (which then holds)
};

/// Reads a whole file, each tensor straight to where it stays. Throws RunError "PATH: what is wrong": not
/// there, truncated, damaged (a checksum that is there has to hold; lightrun's own metadata wants one), no
/// safetensors file, or with a type that LibTorch has not.
[[nodiscard]] SafetensorsFile read_safetensors(const std::filesystem::path& path);

/// The same without the data, of which only the length is checked: cheap for large files. Types that LibTorch
/// has not are in it too.
[[nodiscard]] SafetensorsHeader read_safetensors_header(const std::filesystem::path& path);

}  // namespace lightrun::state
