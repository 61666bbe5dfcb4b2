#include "state/safetensors.hpp"

#include <lightrun/error.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>

namespace lightrun::state {
namespace {

using HeaderJson = nlohmann::json;

constexpr std::size_t kLengthBytes = 8;
constexpr uint64_t kLongestHeader = 100'000'000;  // as the reference reader
constexpr int kDeepest = 8;

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) {
  throw RunError(path.string() + ": " + why);
}

std::string read_bytes(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) refuse(path, "is a folder, not a file");
  std::ifstream in(path, std::ios::binary);
  if (!in) refuse(path, std::string("cannot be read: ") + std::strerror(errno));
  std::string bytes(std::istreambuf_iterator<char>(in), {});
  if (in.bad()) refuse(path, std::string("cannot be read: ") + std::strerror(errno));
  return bytes;
}

std::optional<torch::ScalarType> type_called(const std::string& name) {
  static const std::map<std::string, torch::ScalarType> types = {
      {"F64", torch::kFloat64},   {"F32", torch::kFloat32},     {"F16", torch::kFloat16},
      {"BF16", torch::kBFloat16}, {"I64", torch::kInt64},       {"I32", torch::kInt32},
      {"I16", torch::kInt16},     {"I8", torch::kInt8},         {"U8", torch::kUInt8},
      {"BOOL", torch::kBool},     {"C64", torch::kComplexFloat}};
  const auto found = types.find(name);
  return found == types.end() ? std::nullopt : std::optional(found->second);
}

/// The header's text, which begins after the length.
std::string_view header_text(const std::filesystem::path& path, std::string_view bytes) {
  uint64_t length = 0;
  if (bytes.size() < kLengthBytes) refuse(path, "is no safetensors file: it is shorter than 8 bytes");
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > kLongestHeader)
    refuse(path, "is no safetensors file: its first 8 bytes are no header's length");
  if (length > bytes.size() - kLengthBytes) {
    refuse(path, "is truncated: its header should be " + std::to_string(length) +
                     " bytes long, the file is " + std::to_string(bytes.size()));
  }
  return bytes.substr(kLengthBytes, length);
}

/// JSON that is nested deeper than the format ever is would overflow the stack elsewhere.
HeaderJson parse_header(const std::filesystem::path& path, std::string_view text) {
  const auto not_too_deep = [&](int depth, HeaderJson::parse_event_t, HeaderJson&) {
    if (depth > kDeepest) refuse(path, "has a damaged header: nested too deep");
    return true;
  };
  HeaderJson header = HeaderJson::parse(text, not_too_deep, /*allow_exceptions=*/false);
  if (!header.is_object()) refuse(path, "has a damaged header: no JSON object");
  return header;
}

struct Entry {
  torch::ScalarType type;
  std::vector<int64_t> shape;
  uint64_t begin;
  uint64_t end;
};

Entry entry_of(const std::filesystem::path& path, const std::string& name, const HeaderJson& json) {
  const auto damaged = [&](const std::string& what) { refuse(path, "tensor '" + name + "': " + what); };
  if (!json.is_object() || !json.contains("dtype") || !json.contains("shape") ||
      !json.contains("data_offsets")) {
    damaged("dtype, shape or data_offsets are missing");
  }
  const auto type = json["dtype"].is_string() ? type_called(json["dtype"].get<std::string>()) : std::nullopt;
  if (!type) damaged("unknown dtype " + json["dtype"].dump());
  const auto is_count = [](const HeaderJson& number) { return number.is_number_unsigned(); };
  const HeaderJson& offsets = json["data_offsets"];
  const HeaderJson& shape = json["shape"];
  if (!offsets.is_array() || offsets.size() != 2 || !std::ranges::all_of(offsets, is_count)) {
    damaged("data_offsets must be two numbers");
  }
  if (!shape.is_array() || !std::ranges::all_of(shape, is_count)) damaged("shape must be a list of sizes");
  return {*type, shape.get<std::vector<int64_t>>(), offsets[0].get<uint64_t>(), offsets[1].get<uint64_t>()};
}

/// Bytes a tensor of this shape takes; nothing where that is beyond 64 bits.
std::optional<uint64_t> size_of(const Entry& entry) {
  uint64_t size = c10::elementSize(entry.type);
  for (const int64_t length : entry.shape) {
    if (length < 0 || __builtin_mul_overflow(size, static_cast<uint64_t>(length), &size)) return std::nullopt;
  }
  return size;
}

torch::Tensor tensor_of(const std::filesystem::path& path, const std::string& name, const Entry& entry,
                        std::string_view data) {
  const auto size = size_of(entry);
  if (!size || entry.begin > entry.end || entry.end - entry.begin != *size) {
    refuse(path, "tensor '" + name + "': its data_offsets do not fit its shape");
  }
  if (entry.end > data.size()) {
    refuse(path, "is truncated: tensor '" + name + "' should end at byte " + std::to_string(entry.end) +
                     " of the data, which has " + std::to_string(data.size()));
  }
  torch::Tensor tensor = torch::empty(entry.shape, entry.type);
  if (*size > 0) std::memcpy(tensor.data_ptr(), data.data() + entry.begin, *size);
  return tensor;
}

}  // namespace

SafetensorsFile read_safetensors(const std::filesystem::path& path) {
  const std::string bytes = read_bytes(path);
  const std::string_view text = header_text(path, bytes);
  const HeaderJson header = parse_header(path, text);
  const std::string_view data = std::string_view(bytes).substr(kLengthBytes + text.size());
  SafetensorsFile file;
  for (const auto& [name, json] : header.items()) {
    if (name != "__metadata__") {
      file.tensors.emplace(name, tensor_of(path, name, entry_of(path, name, json), data));
      continue;
    }
    if (!json.is_object()) refuse(path, "has a damaged header: __metadata__ is no object");
    for (const auto& [key, value] : json.items()) {
      if (!value.is_string()) refuse(path, "has a damaged header: metadata '" + key + "' is no text");
      file.metadata.emplace(key, value.get<std::string>());
    }
  }
  return file;
}

}  // namespace lightrun::state
