#include "loggers/line_file.hpp"

#include <lightrun/error.hpp>

#include "support/atomic_file.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <string_view>
#include <utility>

namespace lightrun::loggers {
namespace {

constexpr int64_t kPageBytes = 4096;

/// The kernel copies a write page by page and is killed only between two pages: what is inside one page is
/// written over the old bytes whole or not at all.
[[nodiscard]] bool is_in_one_page(int64_t start, int64_t end) {
  return start / kPageBytes == (end - 1) / kPageBytes;
}

/// How many bytes both begin with.
[[nodiscard]] std::size_t shared_bytes(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

/// Copies `bytes` from one to the other. Answers whether there were as many.
[[nodiscard]] bool copy_bytes(std::istream& from, std::ostream& to, int64_t bytes) {
  std::array<char, 1 << 16> buffer;
  while (bytes > 0) {
    from.read(buffer.data(), std::min<int64_t>(bytes, std::ssize(buffer)));
    if (from.gcount() == 0) return false;
    to.write(buffer.data(), from.gcount());
    bytes -= from.gcount();
  }
  return true;
}

}  // namespace

LineFile LineFile::make(std::filesystem::path path) {
  LineFile file(std::move(path));
  file.open(O_CREAT);
  struct stat status = {};
  if (::fstat(file.file_.get(), &status) != 0) support::throw_file_error("read", file.path_, errno);
  if (status.st_size > 0)
    throw RunError(
        fmt::format("cannot write {}: it holds the metrics of an earlier run", file.path_.string()));
  return file;
}

LineFile LineFile::take_up(std::filesystem::path path, int64_t last_line_start, std::string last_line) {
  LineFile file(std::move(path));
  file.open(0);
  file.last_line_ = std::move(last_line);
  file.last_line_start_ = last_line_start;
  return file;
}

void LineFile::append(const std::string& line) {
  if (const int error = support::write_all_at(file_.get(), line, end()); error != 0) {
    restore();
    support::throw_file_error("write", path_, error);
  }
  last_line_start_ = end();
  last_line_ = line;
}

void LineFile::change_last(const std::string& line) {
  const std::size_t same = shared_bytes(last_line_, line);
  if (same == line.size()) return;
  const int64_t start = last_line_start_ + static_cast<int64_t>(same);
  if (!is_in_one_page(start, last_line_start_ + std::ssize(line))) {
    const int64_t bytes = last_line_start_;
    replace([&](std::istream& earlier,
                std::ostream& stream) { return copy_bytes(earlier, stream, bytes) ? bytes : -1; },
            line);
    return;
  }
  if (const int error = support::write_all_at(file_.get(), std::string_view(line).substr(same), start);
      error != 0) {
    restore();
    support::throw_file_error("write", path_, error);
  }
  last_line_ = line;
}

void LineFile::replace(const WriteEarlier& write_earlier, const std::string& last_line) {
  int64_t start = 0;
  support::write_file_atomically(path_, [&](std::ostream& stream) {
    std::ifstream earlier(path_, std::ios::binary);
    start = write_earlier(earlier, stream);
    if (start < 0)
      throw RunError(fmt::format("cannot write {}: something else has changed it", path_.string()));
    stream << last_line;
  });
  open(0);
  last_line_start_ = start;
  last_line_ = last_line;
}

void LineFile::close() {
  if (::fsync(file_.get()) != 0 && errno != EINVAL) support::throw_file_error("write", path_, errno);
  if (const int error = file_.close(); error != 0) support::throw_file_error("write", path_, error);
}

void LineFile::open(int flags) {
  file_ = support::FileDescriptor(::open(path_.c_str(), O_WRONLY | O_CLOEXEC | flags, 0666));
  if (!file_.is_open()) support::throw_file_error("write", path_, errno);
}

/// After a write that failed half-way: whole lines only. Its space is there, so this does not fail for a full
/// disk; where it fails nothing better can be done, and the first error is the one to report.
void LineFile::restore() {
  if (::ftruncate(file_.get(), end()) == 0)
    static_cast<void>(support::write_all_at(file_.get(), last_line_, last_line_start_));
}

}  // namespace lightrun::loggers
