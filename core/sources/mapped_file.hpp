#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace lightrun::sources {

/// A file's bytes, mapped into memory and read from the disk where they are used. What shortens the file
/// meanwhile ends the process (SIGBUS), as with any mapped file.
class MappedFile {
 public:
  /// Throws RunError naming the path.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::span<const uint8_t> bytes() const { return {data_, size_}; }

 private:
  const uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace lightrun::sources
