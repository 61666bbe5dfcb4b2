#pragma once

#include "e2e/lightrun_process.hpp"
#include "support/screen.hpp"

#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace lightrun::tests {

/// The real executable, started in `folder` in a terminal of its own, whose screen the test looks at.
class TerminalRun {
 public:
  /// @param environment beside TERM, which is xterm
  TerminalRun(const std::filesystem::path& folder, const std::vector<std::string>& arguments,
              unsigned short columns, const std::map<std::string, std::string>& environment = {})
      : screen_(columns) {
    const winsize size = size_of(columns);
    pid_ = ::forkpty(&fd_, nullptr, nullptr, &size);
    if (pid_ == 0) run_child(folder, arguments, environment);
    if (pid_ < 0) throw std::runtime_error("no pseudo terminal");
  }
  TerminalRun(const TerminalRun&) = delete;
  TerminalRun& operator=(const TerminalRun&) = delete;
  ~TerminalRun() {
    if (pid_ > 0) ::kill(pid_, SIGKILL);
    if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
    ::close(fd_);
  }

  /// Reads until the screen is as wanted. False: the run has ended without that.
  bool wait_for(const std::function<bool()>& wanted) {
    while (!wanted()) {
      if (!read_more()) return false;
    }
    return true;
  }
  /// ... until the screen shows `text`.
  bool wait_for(const std::string& text) {
    return wait_for([&] { return contains(screen_.text(), text); });
  }

  void resize(unsigned short columns) {
    // What is on its way still is for the old size.
    pollfd ready = {.fd = fd_, .events = POLLIN, .revents = 0};
    while (::poll(&ready, 1, 0) > 0 && read_more()) {
    }
    screen_.resize(columns);
    const winsize size = size_of(columns);
    ::ioctl(fd_, TIOCSWINSZ, &size);
  }

  void type(char key) { static_cast<void>(::write(fd_, &key, 1)); }

  /// Reads until the run has ended. Its exit code, or -n after signal n.
  int wait() {
    while (read_more()) {
    }
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  [[nodiscard]] const Screen& screen() const { return screen_; }
  /// All that it has written.
  [[nodiscard]] const std::string& output() const { return output_; }

 private:
  static winsize size_of(unsigned short columns) {
    return {.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
  }

  bool read_more() {
    char buffer[4096];
    const ssize_t count = ::read(fd_, buffer, sizeof buffer);
    if (count <= 0) return false;
    const std::string more(buffer, static_cast<std::size_t>(count));
    output_ += more;
    screen_.write(more);
    return true;
  }

  [[noreturn]] static void run_child(const std::filesystem::path& folder,
                                     const std::vector<std::string>& arguments,
                                     const std::map<std::string, std::string>& environment) {
    ::setenv("TERM", "xterm", 1);
    for (const char* name : {"NO_COLOR", "CLICOLOR_FORCE", "FORCE_COLOR", "COLUMNS"}) ::unsetenv(name);
    for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
    std::string executable = LIGHTRUN_BUILD_DIR "/bin/lightrun";
    std::vector<char*> argv = {executable.data()};
    auto copies = arguments;
    for (auto& argument : copies) argv.push_back(argument.data());
    argv.push_back(nullptr);
    if (::chdir(folder.c_str()) == 0) ::execv(executable.c_str(), argv.data());
    ::_exit(127);
  }

  Screen screen_;
  std::string output_;
  int fd_ = -1;
  pid_t pid_ = 0;
};

}  // namespace lightrun::tests
