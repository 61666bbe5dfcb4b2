#include "state/safetensors_header.hpp"

#include "state/safetensors_checksum.hpp"
#include "support/text.hpp"

#include <lightrun/error.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <set>

namespace lightrun::state {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

struct DtypeFacts {
  std::string_view name;
  uint64_t bits;
};
/// In the order of Dtype.
constexpr std::array kDtypes = std::to_array<DtypeFacts>(
    {{"BOOL", 8},    {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6},     {"U8", 8},          {"I8", 8},
     {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"I16", 16},
     {"U16", 16},    {"F16", 16},    {"BF16", 16},   {"I32", 32},        {"U32", 32},        {"F32", 32},
     {"C64", 64},    {"F64", 64},    {"I64", 64},    {"U64", 64}});
static_assert(kDtypes.size() == static_cast<std::size_t>(Dtype::u64) + 1);

void check_length(const std::string& text) {
  if (text.size() > kLongestHeader)
    throw RunError("the names and the metadata are too long for a safetensors file");
}

/// Text as it stands in JSON.
std::string json_text(const std::string& text) {
  check_length(text);
  if (support::invalid_utf8(text)) throw RunError("a name or metadata that is not UTF-8 cannot be saved");
  return nlohmann::json(text).dump();
}

std::string entry_json(const SafetensorsEntry& entry) {
  nlohmann::ordered_json json = {
      {"dtype", name_of(entry.dtype)}, {"shape", entry.shape}, {"data_offsets", {entry.begin, entry.end}}};
  return json.dump();
}

std::string metadata_json(const std::map<std::string, std::string>& metadata) {
  std::string json;
  for (const auto& [key, value] : metadata) {
    json += json.empty() ? "{" : ",";
    json += json_text(key) + ":" + json_text(value);
  }
  return json + "}";
}

/// The metadata as it is written.
std::map<std::string, std::string> with_checksum(const SafetensorsHeader& header) {
  auto metadata = header.metadata;
  for (const auto& [key, value] : metadata) {
    if (key == kChecksumKey || (!header.checksum && belongs_to_lightrun(key)))
      throw RunError("metadata '" + key + "' belongs to lightrun and needs a checksum");
  }
  if (header.checksum) metadata[kChecksumKey] = digits_of_checksum(*header.checksum);
  return metadata;
}

}  // namespace

std::string_view name_of(Dtype dtype) {
  return kDtypes[static_cast<std::size_t>(dtype)].name;
}

std::optional<Dtype> dtype_called(std::string_view name) {
  const auto* const found = std::ranges::find(kDtypes, name, &DtypeFacts::name);
  return found == kDtypes.end() ? std::nullopt : std::optional(static_cast<Dtype>(found - kDtypes.begin()));
}

uint64_t bits_of(Dtype dtype) {
  return kDtypes[static_cast<std::size_t>(dtype)].bits;
}

uint64_t safetensors_header_length(std::string_view start, uint64_t file_bytes) {
  if (start.size() < kLengthBytes) {
    throw RunError("is truncated: its first 8 bytes, the length of its header, are not all there");
  }
  uint64_t length = 0;
  std::memcpy(&length, start.data(), kLengthBytes);
  if (length > kLongestHeader)
    throw RunError("is no safetensors file: its first 8 bytes are no header's length");
  if (length > file_bytes - kLengthBytes) {
    throw RunError("is truncated: its header takes " + std::to_string(length) + " bytes, it has " +
                   std::to_string(file_bytes - kLengthBytes) + " for it");
  }
  return length;
}

std::string safetensors_head(const SafetensorsHeader& header) {
  std::string text;
  const auto add = [&](const std::string& name, const std::string& json) {
    text += text.empty() ? "{" : ",";
    text += json_text(name) + ":" + json;
  };
  const auto metadata = with_checksum(header);
  if (!metadata.empty()) add(kMetadataName, metadata_json(metadata));
  std::set<std::string> names;
  for (const SafetensorsEntry& entry : header.entries) {
    if (entry.name == kMetadataName)
      throw RunError("no tensor can be called '" + entry.name + "' in a safetensors file");
    if (!names.insert(entry.name).second) throw RunError("two tensors are called '" + entry.name + "'");
    add(entry.name, entry_json(entry));
  }
  text += text.empty() ? "{}" : "}";
  text.append((kLengthBytes - text.size() % kLengthBytes) % kLengthBytes, ' ');
  check_length(text);
  const auto length = std::bit_cast<std::array<char, kLengthBytes>>(static_cast<uint64_t>(text.size()));
  return std::string(length.begin(), length.end()) + text;
}

}  // namespace lightrun::state
