#include "plugin/file_bytes.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace lightrun::plugin {
namespace {

std::string system_problem(int error) {
  if (error == ENOENT || error == ENOTDIR) return "no such file; give the path of the .so that was built";
  return "cannot be read: " + support::errno_text(error);
}

std::optional<std::string> kind_problem(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder, not a shared library";
  if (!S_ISREG(mode)) return "not a regular file";
  return std::nullopt;
}

}  // namespace

FileBytes::FileBytes(const std::string& path) {
  // O_NONBLOCK: opening a named pipe must not wait for its writer.
  file_ = support::FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat facts {};
  if (!file_.is_open() || ::fstat(file_.get(), &facts) != 0) {
    problem_ = system_problem(errno);
    return;
  }
  problem_ = kind_problem(facts.st_mode);
  if (!problem_) size_ = static_cast<uint64_t>(facts.st_size);
}

bool FileBytes::read(uint64_t offset, std::span<std::byte> into) const {
  if (!holds(offset, into.size())) return false;
  while (!into.empty()) {
    const ssize_t count = ::pread(file_.get(), into.data(), into.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;  // the file became shorter meanwhile, or the disk failed
    into = into.subspan(static_cast<std::size_t>(count));
    offset += static_cast<uint64_t>(count);
  }
  return true;
}

}  // namespace lightrun::plugin
