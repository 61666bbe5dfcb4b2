#include "state/safetensors.hpp"

#include "state/safetensors_checksum.hpp"
#include "state/safetensors_types.hpp"

#include <lightrun/error.hpp>

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>

namespace lightrun::state {
namespace {

std::optional<Dtype> dtype_of(torch::ScalarType type) {
  const auto* const found =
      std::ranges::find(kSharedTypes, type, [](const auto& pair) { return pair.second; });
  return found == kSharedTypes.end() ? std::nullopt : std::optional(found->first);
}

struct Placed {
  SafetensorsEntry entry;
  torch::Tensor tensor;  // on the CPU, contiguous, holding the values themselves
};

Placed place(const std::string& name, const torch::Tensor& tensor) {
  if (const auto reason = reason_not_to_save(tensor))
    throw RunError("tensor '" + name + "' cannot be saved: " + *reason);
  // A conjugate or a negative may be a mark on the values of another tensor.
  const auto plain = tensor.detach().to(torch::kCPU).resolve_conj().resolve_neg().contiguous();
  return {{.name = name,
           .dtype = *dtype_of(plain.scalar_type()),
           .shape = plain.sizes().vec(),
           .begin = 0,
           .end = plain.nbytes()},
          plain};
}

/// Each in its place in the file. Wide types first, so that every tensor is aligned to its own size; within a
/// type by name: as the reference writer does.
std::vector<Placed> place_all(const std::vector<std::pair<std::string, torch::Tensor>>& tensors) {
  std::vector<Placed> all;
  all.reserve(tensors.size());
  for (const auto& [name, tensor] : tensors) all.push_back(place(name, tensor));
  std::ranges::sort(all, [](const Placed& a, const Placed& b) {
    return std::tie(b.entry.dtype, a.entry.name) < std::tie(a.entry.dtype, b.entry.name);
  });
  uint64_t offset = 0;
  for (Placed& placed : all) {
    placed.entry.begin = offset;
    offset += placed.entry.end;
    placed.entry.end = offset;
  }
  return all;
}

std::string_view bytes_of(const torch::Tensor& tensor) {
  return {static_cast<const char*>(tensor.data_ptr()), tensor.nbytes()};
}

}  // namespace

std::optional<std::string> reason_not_to_save(const torch::Tensor& tensor) {
  if (!tensor.defined()) return "it has no value";
  if (tensor.layout() != torch::kStrided) return "it is not dense";
  if (!dtype_of(tensor.scalar_type()))
    return std::string("safetensors has no type ") + toString(tensor.scalar_type());
  return std::nullopt;
}

void write_safetensors(std::ostream& out, const std::vector<std::pair<std::string, torch::Tensor>>& tensors,
                       const std::map<std::string, std::string>& metadata, Checksum checksum) {
  const std::vector<Placed> all = place_all(tensors);
  SafetensorsHeader header;
  header.metadata = metadata;
  for (const Placed& placed : all) header.entries.push_back(placed.entry);
  if (checksum == Checksum::crc32c) {
    header.checksum = 0;  // as wide as the right one, and as the reader counts its digits
    support::Crc32c crc = checksum_of_head(safetensors_head(header));
    for (const Placed& placed : all) crc.add(bytes_of(placed.tensor));
    header.checksum = crc.value();
  }
  const std::string head = safetensors_head(header);
  out.write(head.data(), static_cast<std::streamsize>(head.size()));
  for (const Placed& placed : all) {
    const std::string_view bytes = bytes_of(placed.tensor);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
}

}  // namespace lightrun::state
