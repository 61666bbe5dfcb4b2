#include "sources/arrays.hpp"
#include "sources/mapped_file.hpp"

#include <lightrun/error.hpp>

#include <spdlog/fmt/fmt.h>
#include <zlib.h>

#include <memory>
#include <string_view>
#include <vector>

// The format: a magic number 00 00 08 <dimensions>, each dimension in 4 bytes, big-endian; then the bytes.
// (http://yann.lecun.com/exdb/mnist/)
namespace lightrun::sources {
namespace {

constexpr uint8_t kBytes = 0x08;

bool is_gzip(std::span<const uint8_t> bytes) {
  return bytes.size() > 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

/// All bytes of a compressed file.
std::vector<uint8_t> unzipped(const std::string& path) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) throw RunError(path + ": cannot be read");
  std::vector<uint8_t> bytes;
  constexpr unsigned kAtOnce = 1 << 20;
  while (true) {
    const std::size_t size = bytes.size();
    bytes.resize(size + kAtOnce);
    const int count = gzread(file.get(), bytes.data() + size, kAtOnce);
    int error = Z_OK;
    std::string_view text = gzerror(file.get(), &error);
    if (text.starts_with(path + ": ")) text.remove_prefix(path.size() + 2);  // zlib says it, too
    if (count < 0 || error != Z_OK) {
      throw RunError(fmt::format("{}: cannot be decompressed: {}", path,
                                 error == Z_BUF_ERROR ? std::string_view("it is truncated") : text));
    }
    bytes.resize(size + static_cast<std::size_t>(count));
    if (count == 0) return bytes;
  }
}

int64_t big_endian(std::span<const uint8_t> bytes) {
  int64_t value = 0;
  for (const uint8_t byte : bytes) value = value << 8 | byte;
  return value;
}

/// The shape, and how many bytes come before the data.
std::vector<int64_t> shape_of(const std::string& path, std::span<const uint8_t> bytes, int64_t dimensions) {
  if (bytes.size() < 4 || bytes[0] != 0 || bytes[1] != 0) throw RunError(path + ": is no idx file");
  if (bytes[2] != kBytes)
    throw RunError(fmt::format("{}: holds numbers of type {:#04x}, not bytes (0x08)", path, bytes[2]));
  if (bytes[3] != dimensions) {
    throw RunError(fmt::format("{}: has {} dimensions, where {} are expected: {}", path, bytes[3], dimensions,
                               dimensions == 1 ? "labels" : "images"));
  }
  const std::size_t header = 4 + 4 * static_cast<std::size_t>(dimensions);
  if (bytes.size() < header) throw RunError(path + ": is truncated");
  std::vector<int64_t> shape;
  int64_t count = 1;
  for (std::size_t i = 4; i < header; i += 4) {
    shape.push_back(big_endian(bytes.subspan(i, 4)));
    if (__builtin_mul_overflow(count, shape.back(), &count))
      throw RunError(path + ": is damaged: its size is too large");
  }
  if (bytes.size() - header != static_cast<std::size_t>(count)) {
    throw RunError(
        fmt::format("{}: holds {} bytes of data, but its header says {}; it is truncated or damaged", path,
                    bytes.size() - header, count));
  }
  return shape;
}

/// `owner` keeps the bytes.
torch::Tensor tensor_of(const std::string& path, std::span<const uint8_t> bytes, int64_t dimensions,
                        std::shared_ptr<const void> owner) {
  const auto shape = shape_of(path, bytes, dimensions);
  const auto* data = bytes.data() + 4 + 4 * dimensions;
  return torch::from_blob(
      const_cast<uint8_t*>(data), shape, [owner = std::move(owner)](void*) {}, torch::kUInt8);
}

}  // namespace

torch::Tensor read_idx(const std::string& path, int64_t dimensions) {
  const auto file = std::make_shared<MappedFile>(path);
  if (!is_gzip(file->bytes())) return tensor_of(path, file->bytes(), dimensions, file);
  const auto bytes = std::make_shared<std::vector<uint8_t>>(unzipped(path));
  return tensor_of(path, *bytes, dimensions, bytes);
}

}  // namespace lightrun::sources
