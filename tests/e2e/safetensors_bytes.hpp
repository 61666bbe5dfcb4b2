#pragma once

#include "support/temporary_folder.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>

namespace lightrun::tests {

/// The tensors of a safetensors file, each one's bytes by its name, read without LibTorch and without
/// lightrun.
inline std::map<std::string, std::string> tensor_bytes(const std::filesystem::path& path) {
  const std::string file = read_file(path);
  uint64_t length = 0;
  std::memcpy(&length, file.data(), sizeof length);
  const std::size_t data = sizeof length + static_cast<std::size_t>(length);
  std::map<std::string, std::string> tensors;
  const auto header = nlohmann::json::parse(file.substr(sizeof length, length));
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    const auto begin = entry["data_offsets"][0].get<std::size_t>();
    const auto end = entry["data_offsets"][1].get<std::size_t>();
    tensors[name] = file.substr(data + begin, end - begin);
  }
  return tensors;
}

}  // namespace lightrun::tests
