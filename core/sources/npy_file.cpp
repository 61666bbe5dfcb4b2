#include "sources/arrays.hpp"
#include "sources/mapped_file.hpp"
#include "sources/npy_format.hpp"

#include <lightrun/error.hpp>

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace lightrun::sources {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw RunError(path + ": " + why);
}

/// The header: a Python dictionary that only has these three keys.
struct Header {
  std::string type;
  bool is_fortran = false;
  std::vector<int64_t> shape;
};

/// What stands behind `'key':`.
std::string_view value_of(const std::string& path, std::string_view text, std::string_view key) {
  const std::string quoted = fmt::format("'{}':", key);
  const auto at = text.find(quoted);
  if (at == std::string_view::npos) refuse(path, fmt::format("its header has no {}", key));
  text.remove_prefix(at + quoted.size());
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text;
}

std::vector<int64_t> read_shape(const std::string& path, std::string_view text) {
  const auto end = text.find(')');
  if (!text.starts_with('(') || end == std::string_view::npos) refuse(path, "its header has no shape");
  text = text.substr(1, end - 1);
  std::vector<int64_t> shape;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" ,"), text.size()));
    if (text.empty()) return shape;
    int64_t size = -1;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc() || size < 0) refuse(path, "its shape is damaged");
    shape.push_back(size);
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  }
}

Header read_header(const std::string& path, std::string_view text) {
  Header header;
  const std::string_view type = value_of(path, text, "descr");
  const auto end = type.find('\'', 1);
  if (!type.starts_with('\'') || end == std::string_view::npos) {
    refuse(path, "holds structures, not plain numbers; save each of its fields by itself");
  }
  header.type = type.substr(1, end - 1);
  header.is_fortran = value_of(path, text, "fortran_order").starts_with("True");
  header.shape = read_shape(path, value_of(path, text, "shape"));
  return header;
}

torch::ScalarType type_of(const std::string& path, const std::string& name) {
  const auto* at = std::ranges::find(kNpyTypes, name, &decltype(kNpyTypes)::value_type::first);
  if (at != kNpyTypes.end()) return at->second;
  if (name.find('O') != std::string::npos)
    refuse(path, "holds Python objects, not numbers; in Python, make an array of numbers of them");
  const bool is_whole = name.find_first_of("iu") != std::string::npos;
  refuse(path, fmt::format("holds numbers of type '{}', which LibTorch has not; in Python: numpy.save(path, "
                           "array.astype('{}'))",
                           name, is_whole ? "int64" : "float32"));
}

uint64_t little_endian(std::span<const uint8_t> bytes) {
  uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | bytes[i];
  return value;
}

/// Their product, if it is not too large.
std::optional<uint64_t> bytes_of(const std::vector<int64_t>& shape, uint64_t each) {
  uint64_t bytes = each;
  for (const int64_t size : shape)
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(size), &bytes)) return std::nullopt;
  return bytes;
}

std::vector<int64_t> fortran_strides(const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides;
  int64_t stride = 1;
  for (const int64_t size : shape) {
    strides.push_back(stride);
    stride *= std::max<int64_t>(size, 1);
  }
  return strides;
}

}  // namespace

torch::Tensor read_npy(const std::string& path) {
  const auto file = std::make_shared<MappedFile>(path);
  const auto bytes = file->bytes();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(kNpyMagic) || bytes.size() < 10) refuse(path, "is no .npy file");
  const std::size_t length_bytes = bytes[6] == 1 ? 2 : 4;
  const std::size_t begin = 8 + length_bytes;
  if (bytes[6] < 1 || bytes[6] > 3)
    refuse(path, fmt::format("is of version {} of the format, not 1 to 3", bytes[6]));
  if (bytes.size() < begin) refuse(path, "is truncated");
  const uint64_t length = little_endian(bytes.subspan(8, length_bytes));
  if (length > bytes.size() - begin) refuse(path, "is truncated");
  const Header header = read_header(path, text.substr(begin, length));
  const torch::ScalarType type = type_of(path, header.type);
  const auto data = bytes.subspan(begin + length);
  const auto expected = bytes_of(header.shape, c10::elementSize(type));
  if (!expected || *expected != data.size()) {
    refuse(path, fmt::format("holds {} bytes of numbers, but its header says {}; it is truncated or damaged",
                             data.size(), expected ? std::to_string(*expected) : "more than there can be"));
  }
  const auto options = torch::TensorOptions().dtype(type);
  if (data.empty()) refuse(path, "holds nothing");
  // The mapping lives as long as the tensor; nothing writes to it.
  void* begin_of_data = const_cast<uint8_t*>(data.data());
  const auto release = [file](void*) {};
  if (reinterpret_cast<uintptr_t>(begin_of_data) % c10::elementSize(type) != 0)  // numpy aligns to 64
    refuse(path, "its numbers are not aligned; save it again with numpy.save");
  if (header.is_fortran)
    return torch::from_blob(begin_of_data, header.shape, fortran_strides(header.shape), release, options);
  return torch::from_blob(begin_of_data, header.shape, release, options);
}

}  // namespace lightrun::sources
