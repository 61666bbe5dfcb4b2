#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace lightrun::support {

/// Owns an open file descriptor and closes it.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor();

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool is_open() const { return fd_ >= 0; }

  /// Closes it. A disk may report only now that a write failed: answers 0, or errno.
  [[nodiscard]] int close();

 private:
  int fd_ = -1;
};

/// Writes all of `bytes`, also after short writes and interrupted ones. Answers 0, or errno.
[[nodiscard]] int write_all(int fd, std::string_view bytes);

/// Writes all of `bytes` from byte `offset` of the file on; otherwise as above.
[[nodiscard]] int write_all_at(int fd, std::string_view bytes, int64_t offset);

/// "No space left on device".
[[nodiscard]] std::string errno_text(int error);

/// Throws RunError "cannot <action> <path>: <errno_text>".
[[noreturn]] void throw_file_error(std::string_view action, const std::filesystem::path& path, int error);

}  // namespace lightrun::support
