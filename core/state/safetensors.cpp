#include "state/safetensors.hpp"

#include <lightrun/error.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace lightrun::state {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

std::string dtype_name(const std::string& tensor, torch::ScalarType type) {
  switch (type) {
    case torch::kFloat64:
      return "F64";
    case torch::kFloat32:
      return "F32";
    case torch::kFloat16:
      return "F16";
    case torch::kBFloat16:
      return "BF16";
    case torch::kInt64:
      return "I64";
    case torch::kInt32:
      return "I32";
    case torch::kInt16:
      return "I16";
    case torch::kInt8:
      return "I8";
    case torch::kUInt8:
      return "U8";
    case torch::kBool:
      return "BOOL";
    case torch::kComplexFloat:
      return "C64";
    default:
      throw RunError("tensor '" + tensor + "' of type " + toString(type) +
                     " cannot be saved: safetensors has no such type");
  }
}

}  // namespace

void write_safetensors(std::ostream& out, const std::vector<std::pair<std::string, torch::Tensor>>& tensors,
                       const std::map<std::string, std::string>& metadata) {
  // Wide types first, so that every tensor is aligned to its own size; as the reference writer does.
  std::vector<std::pair<std::string, torch::Tensor>> sorted;
  for (const auto& [name, tensor] : tensors) {
    sorted.emplace_back(name, tensor.detach().to(torch::kCPU).contiguous());
  }
  std::ranges::sort(sorted, [](const auto& a, const auto& b) {
    const auto size_a = a.second.element_size();
    const auto size_b = b.second.element_size();
    return size_a != size_b ? size_a > size_b : a.first < b.first;
  });

  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  header["__metadata__"] = metadata;
  std::size_t offset = 0;
  for (const auto& [name, tensor] : sorted) {
    if (header.contains(name)) throw RunError("two tensors are called '" + name + "'");
    header[name] = {{"dtype", dtype_name(name, tensor.scalar_type())},
                    {"shape", tensor.sizes().vec()},
                    {"data_offsets", {offset, offset + tensor.nbytes()}}};
    offset += tensor.nbytes();
  }

  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  const auto length = std::bit_cast<std::array<char, 8>>(static_cast<uint64_t>(text.size()));
  out.write(length.data(), length.size());
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  for (const auto& [name, tensor] : sorted) {
    out.write(static_cast<const char*>(tensor.data_ptr()), static_cast<std::streamsize>(tensor.nbytes()));
  }
}

}  // namespace lightrun::state
