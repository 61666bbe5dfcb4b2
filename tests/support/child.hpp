#pragma once

#include <linux/capability.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>
#include <utility>

namespace lightrun::tests {

/// Runs `work` in a child process and answers its pid. The child leaves with exit code 0 after it, 99 after
/// an exception.
template <typename Work>
[[nodiscard]] pid_t start_child(Work work) {
  std::fflush(nullptr);
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  try {
    work();
  } catch (...) {
    ::_exit(99);
  }
  ::_exit(0);
}

/// The wait status of a child that has ended: for WIFEXITED and the like.
[[nodiscard]] inline int wait_for(pid_t pid) {
  int status = 0;
  ::waitpid(pid, &status, 0);
  return status;
}

/// A child process that runs `work`, and is killed at the end of the test if not before.
class Child {
 public:
  template <typename Work>
  explicit Child(Work work) : pid_(start_child(std::move(work))) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pid_ > 0) kill();
  }

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Its wait status, once it has ended.
  [[nodiscard]] int wait() { return wait_for(std::exchange(pid_, 0)); }
  /// Kills it; it is gone on return.
  void kill() {
    ::kill(pid_, SIGKILL);
    static_cast<void>(wait());
  }

 private:
  pid_t pid_;
};

/// Looks every millisecond whether `done()`, for ten seconds at most. Answers whether it came to that.
template <typename Condition>
[[nodiscard]] bool wait_until(Condition done) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!done()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

/// From here on the permissions of files hold for this process, also where it runs as root. There is no way
/// back: for children.
inline void give_up_privileges() {
  __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  const __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  if (::syscall(SYS_capset, &header, none) != 0) ::_exit(98);
}

}  // namespace lightrun::tests
