#pragma once

#include "support/file_descriptor.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

namespace lightrun::plugin {

/// A regular file, open for reading at any place. No read goes past its end.
class FileBytes {
 public:
  /// Does not throw: where the file cannot be read, problem() says why ("no such file").
  explicit FileBytes(const std::string& path);

  [[nodiscard]] const std::optional<std::string>& problem() const { return problem_; }
  /// In bytes.
  [[nodiscard]] uint64_t size() const { return size_; }
  /// Whether `bytes` bytes from `offset` on lie within the file.
  [[nodiscard]] bool holds(uint64_t offset, uint64_t bytes) const {
    return offset <= size_ && bytes <= size_ - offset;
  }
  /// Fills `into` from `offset` on; false where the file does not hold as much.
  [[nodiscard]] bool read(uint64_t offset, std::span<std::byte> into) const;

  /// The bytes at `offset` as a T.
  template <typename T>
  [[nodiscard]] std::optional<T> read(uint64_t offset) const {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    if (!read(offset, std::as_writable_bytes(std::span(&value, 1)))) return std::nullopt;
    return value;
  }

 private:
  support::FileDescriptor file_;
  uint64_t size_ = 0;
  std::optional<std::string> problem_;
};

}  // namespace lightrun::plugin
