#include "support/file_descriptor.hpp"

#include <lightrun/error.hpp>

#include <fmt/format.h>

#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace lightrun::support {

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    if (is_open()) ::close(fd_);
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

FileDescriptor::~FileDescriptor() {
  if (is_open()) ::close(fd_);
}

int FileDescriptor::close() {
  // Linux frees the descriptor even when close() fails: never a second try.
  return ::close(std::exchange(fd_, -1)) == 0 ? 0 : errno;
}

int write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

int write_all_at(int fd, std::string_view bytes, int64_t offset) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd, bytes.data(), bytes.size(), offset);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
    offset += written;
  }
  return 0;
}

std::string errno_text(int error) {
  return std::generic_category().message(error);
}

void throw_file_error(std::string_view action, const std::filesystem::path& path, int error) {
  throw RunError(fmt::format("cannot {} {}: {}", action, path.string(), errno_text(error)));
}

}  // namespace lightrun::support
