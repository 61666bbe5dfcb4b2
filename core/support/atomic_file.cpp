#include "support/atomic_file.hpp"

#include "support/file_descriptor.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <streambuf>
#include <vector>

namespace lightrun::support {
namespace {

constexpr std::string_view kTemporaryMark = ".tmp-";
constexpr std::size_t kBufferBytes = 1 << 16;
constexpr mode_t kFileMode = 0666;  // less the umask

/// Writes to a descriptor, and keeps the errno that std::ofstream would lose.
class FdBuffer : public std::streambuf {
 public:
  explicit FdBuffer(int fd) : fd_(fd), bytes_(kBufferBytes) { reset(); }

  [[nodiscard]] int error() const { return error_; }

 protected:
  int_type overflow(int_type c) override {
    if (sync() != 0) return traits_type::eof();
    if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
  }

  std::streamsize xsputn(const char* data, std::streamsize count) override {
    if (count < epptr() - pptr()) return std::streambuf::xsputn(data, count);
    if (sync() != 0) return 0;
    error_ = write_all(fd_, {data, static_cast<std::size_t>(count)});
    return error_ == 0 ? count : 0;
  }

  int sync() override {
    if (error_ == 0) error_ = write_all(fd_, {pbase(), static_cast<std::size_t>(pptr() - pbase())});
    reset();
    return error_ == 0 ? 0 : -1;
  }

  pos_type seekoff(off_type offset, std::ios_base::seekdir from, std::ios_base::openmode /*mode*/) override {
    if (sync() != 0) return pos_type(off_type(-1));
    const int whence = from == std::ios_base::beg   ? SEEK_SET
                       : from == std::ios_base::cur ? SEEK_CUR
                                                    : SEEK_END;
    return pos_type(::lseek(fd_, offset, whence));
  }

  pos_type seekpos(pos_type position, std::ios_base::openmode mode) override {
    return seekoff(off_type(position), std::ios_base::beg, mode);
  }

 private:
  void reset() { setp(bytes_.data(), bytes_.data() + bytes_.size()); }

  int fd_;
  int error_ = 0;
  std::vector<char> bytes_;
};

/// The new content, under a name of its own until commit(); gone afterwards if it never came to that.
class Temporary {
 public:
  explicit Temporary(const std::filesystem::path& target) : target_(target) {
    // A killed process may have left a file of our name, and another container may have our pid: never touch
    // theirs.
    const std::filesystem::path first = temporary_path(target, ::getpid());
    path_ = first;
    for (int attempt = 1;; ++attempt) {
      file_ = FileDescriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kFileMode));
      if (file_.is_open()) return;
      if (errno != EEXIST) throw_file_error("write", target_, errno);
      path_ = fmt::format("{}-{}", first.string(), attempt);
    }
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (!committed_) ::unlink(path_.c_str());
  }

  void fill(const std::function<void(std::ostream&)>& write) {
    FdBuffer buffer(file_.get());
    std::ostream stream(&buffer);
    write(stream);
    stream.flush();
    if (buffer.error() != 0) throw_file_error("write", target_, buffer.error());
    if (!stream) throw_file_error("write", target_, EIO);
  }

  void commit() {
    if (::fsync(file_.get()) != 0) throw_file_error("write", target_, errno);
    if (const int error = file_.close(); error != 0) throw_file_error("write", target_, error);
    if (::rename(path_.c_str(), target_.c_str()) != 0) throw_file_error("replace", target_, errno);
    committed_ = true;
  }

 private:
  std::filesystem::path target_;
  std::filesystem::path path_;
  FileDescriptor file_;
  bool committed_ = false;
};

[[nodiscard]] std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

}  // namespace

void write_file_atomically(const std::filesystem::path& path,
                           const std::function<void(std::ostream&)>& write) {
  Temporary temporary(path);
  temporary.fill(write);
  temporary.commit();
  sync_folder(folder_of(path));
}

void write_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
  write_file_atomically(path, [bytes](std::ostream& stream) {
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  });
}

std::filesystem::path temporary_path(const std::filesystem::path& path, int pid) {
  return folder_of(path) / fmt::format(".{}{}{}", path.filename().string(), kTemporaryMark, pid);
}

bool is_temporary_file(std::string_view name) {
  const std::size_t mark = name.rfind(kTemporaryMark);
  if (!name.starts_with('.') || mark == std::string_view::npos || mark < 2) return false;
  const std::string_view tail = name.substr(mark + kTemporaryMark.size());
  return !tail.empty() && std::isdigit(static_cast<unsigned char>(tail.front())) != 0 &&
         std::all_of(tail.begin(), tail.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0 || c == '-'; });
}

void sync_folder(const std::filesystem::path& folder) {
  const FileDescriptor handle(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!handle.is_open()) throw_file_error("open folder", folder, errno);
  // Some network and user-space file systems cannot sync a folder, and say so by EINVAL.
  if (::fsync(handle.get()) != 0 && errno != EINVAL) throw_file_error("sync folder", folder, errno);
}

}  // namespace lightrun::support
