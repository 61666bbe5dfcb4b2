#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

namespace lightrun::tests {

/// A real terminal, of which the test is the screen.
class PseudoTerminal {
 public:
  explicit PseudoTerminal(unsigned short columns) : screen_(::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK)) {
    if (screen_ < 0 || ::grantpt(screen_) != 0 || ::unlockpt(screen_) != 0)
      throw std::runtime_error("no pseudo terminal");
    fd_ = ::open(::ptsname(screen_), O_RDWR | O_NOCTTY);
    termios settings = {};
    ::tcgetattr(fd_, &settings);
    settings.c_oflag &= ~static_cast<tcflag_t>(OPOST);  // "\n" stays "\n"
    ::tcsetattr(fd_, TCSANOW, &settings);
    resize(columns);
  }
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;
  ~PseudoTerminal() {
    ::close(fd_);
    ::close(screen_);
  }

  [[nodiscard]] int fd() const { return fd_; }

  void resize(unsigned short columns) {
    const winsize size = {.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    ::ioctl(fd_, TIOCSWINSZ, &size);
  }

  /// What was written since the last call.
  [[nodiscard]] std::string output() {
    std::string text;
    char buffer[4096];
    for (ssize_t count; (count = ::read(screen_, buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<std::size_t>(count));
    return text;
  }

 private:
  int screen_;
  int fd_ = -1;
};

}  // namespace lightrun::tests
