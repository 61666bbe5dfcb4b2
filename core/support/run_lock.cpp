#include "support/run_lock.hpp"

#include <lightrun/error.hpp>

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <string_view>
#include <thread>
#include <utility>

namespace lightrun::support {
namespace {

constexpr mode_t kLockFileMode = 0666;  // less the umask
constexpr int kLockAttempts = 10;
constexpr auto kLockPause = std::chrono::milliseconds(20);

/// Answers 0, or errno.
[[nodiscard]] int try_lock(int fd) {
  while (::flock(fd, LOCK_EX | LOCK_NB) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

/// "pid 123 on host NAME since 2026-11-30 14:32:22"
[[nodiscard]] std::string this_holder() {
  std::array<char, 256> host = {};
  if (::gethostname(host.data(), host.size() - 1) != 0) host = {"unknown"};
  const std::time_t now = std::time(nullptr);
  std::tm local = {};
  ::localtime_r(&now, &local);
  std::array<char, 32> since = {};
  std::strftime(since.data(), since.size(), "%Y-%m-%d %H:%M:%S", &local);
  return fmt::format("pid {} on host {} since {}", ::getpid(), host.data(), since.data());
}

/// The line that the holder wrote; empty where there is none yet, or no more.
[[nodiscard]] std::string written_holder(int fd) {
  std::array<char, 512> bytes = {};
  const ssize_t count = ::pread(fd, bytes.data(), bytes.size(), 0);
  const std::string_view text(bytes.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  const std::size_t end = text.find('\n');
  return text.starts_with("pid ") && end != std::string_view::npos ? std::string(text.substr(0, end)) : "";
}

[[noreturn]] void throw_in_use(const std::filesystem::path& folder, std::string_view holder) {
  throw RunError(fmt::format("{} is in use by {}; wait for it, or give another run.folder", folder.string(),
                             holder.empty() ? "another process" : holder));
}

/// Answers 0, or the errno of a file system without locks.
[[nodiscard]] int lock_for_this_process(int fd, const std::filesystem::path& folder,
                                        const std::filesystem::path& path) {
  for (int attempt = 1;; ++attempt) {
    const int error = try_lock(fd);
    if (error == 0 || error == ENOLCK || error == EOPNOTSUPP || error == ENOSYS) return error;
    if (error != EWOULDBLOCK) throw_file_error("lock", path, error);
    // Without a line, the holder has only just come or is about to go: a moment later we know which.
    const std::string holder = written_holder(fd);
    if (!holder.empty() || attempt == kLockAttempts) throw_in_use(folder, holder);
    std::this_thread::sleep_for(kLockPause);
  }
}

}  // namespace

RunLock::RunLock(const std::filesystem::path& folder) : holder_(::getpid()) {
  const std::filesystem::path path = folder / "run.lock";
  // No link is followed: the file is going to be emptied.
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, kLockFileMode));
  if (!file.is_open()) throw_file_error("lock", path, errno);
  if (const int error = lock_for_this_process(file.get(), folder, path); error != 0) {
    warning_ = fmt::format("cannot lock {}: {}; nothing keeps a second run out of this folder", path.string(),
                           errno_text(error));
    return;
  }
  // The line of a killed holder may be longer than ours.
  if (::ftruncate(file.get(), 0) != 0) throw_file_error("write", path, errno);
  const int error = write_all_at(file.get(), this_holder() + "\n", 0);
  if (error != 0) throw_file_error("write", path, error);
  ::fsync(
      file.get());  // for other hosts of a network file system to see it; where that fails, we hold it still
  file_ = std::move(file);
}

RunLock& RunLock::operator=(RunLock&& other) noexcept {
  if (this != &other) {
    release();
    file_ = std::move(other.file_);
    holder_ = other.holder_;
    warning_ = std::move(other.warning_);
  }
  return *this;
}

RunLock::~RunLock() {
  release();
}

void RunLock::release() noexcept {
  // A forked child has a copy of this object and shares the lock: it is not the child's to give back.
  if (file_.is_open() && holder_ == ::getpid()) {
    // Emptied while it is ours: afterwards it may name the next one. A line that stays does no harm.
    [[maybe_unused]] const int emptied = ::ftruncate(file_.get(), 0);
    // Not left to close(): that would wait for forked children that have the file open.
    ::flock(file_.get(), LOCK_UN);
  }
  file_ = FileDescriptor();
}

}  // namespace lightrun::support
