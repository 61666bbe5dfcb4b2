#pragma once

#include <sys/resource.h>

#include <csignal>

namespace lightrun::tests {

/// While it lives, no file of this process grows beyond `bytes`: a write is then cut short, the next one
/// fails with "File too large", as on a disk that is full.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &limit_);
    const rlimit small = {.rlim_cur = bytes, .rlim_max = limit_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    ::setrlimit(RLIMIT_FSIZE, &limit_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit limit_ = {};
  void (*handler_)(int);
};

}  // namespace lightrun::tests
