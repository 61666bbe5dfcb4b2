#include "sources/mapped_file.hpp"

#include "support/file_descriptor.hpp"

#include <lightrun/error.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>

namespace lightrun::sources {

MappedFile::MappedFile(const std::string& path) {
  // O_NONBLOCK: a pipe is refused below, not waited for.
  const support::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0) support::throw_file_error("read", path, errno);
  if (!S_ISREG(status.st_mode)) throw RunError(path + ": is not a file");
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ == 0) return;
  void* data = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (data == MAP_FAILED) support::throw_file_error("map", path, errno);
  data_ = static_cast<const uint8_t*>(data);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<uint8_t*>(data_), size_);
}

}  // namespace lightrun::sources
