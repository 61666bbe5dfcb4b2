#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

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

}  // namespace lightrun::tests
