#pragma once

#include "support/terminal.hpp"

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace lightrun::support {

/// Prints lines that stay, and on a terminal keeps one status line below them. The two never mix: the status
/// is taken away before anything else is printed and drawn again after it. Where there is no terminal, a
/// status is dropped. All that prints to the screen during a run goes through one printer; it may be used
/// from several threads. An error of the screen (closed, full) never ends a run: output stops instead.
class LinePrinter {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;
  static constexpr std::chrono::milliseconds kRedrawInterval{100};

  /// @param fd where to print; it stays open
  LinePrinter(int fd, Terminal terminal, Clock clock = std::chrono::steady_clock::now);
  /// Ends the status line.
  ~LinePrinter();
  LinePrinter(const LinePrinter&) = delete;
  LinePrinter& operator=(const LinePrinter&) = delete;

  [[nodiscard]] const Terminal& terminal() const { return terminal_; }
  /// Columns a line may take, asked anew each time.
  [[nodiscard]] int width() const;
  /// Lines the terminal shows.
  [[nodiscard]] int height() const;

  /// Prints `text` and a newline.
  void line(std::string_view text);

  /// Whether a new status would be drawn now: so that one that would not need not be written.
  [[nodiscard]] bool due() const;

  /// Makes `text` (one line, cut to the width) the status: drawn at most every kRedrawInterval, otherwise
  /// kept until it is due or the line ends.
  void status(std::string text);

  /// Leaves the last status as a line that stays.
  void end_status();

  /// Takes the status away.
  void clear_status();

  /// Lets `print` write to the same terminal by other means (a warning to stderr), with the status out of its
  /// way. What it prints must end in a newline.
  void interrupt(const std::function<void()>& print);

 private:
  void draw();
  void redraw();
  void erase();
  void write(std::string_view text);

  mutable std::recursive_mutex mutex_;  // recursive: what interrupt() calls may print a line
  int fd_;
  Terminal terminal_;
  Clock clock_;
  std::string status_;   // empty: none
  bool drawn_ = false;   // something is on the status line now
  int interrupts_ = 0;   // under way, one within the other
  bool failed_ = false;  // the screen is gone
  std::chrono::steady_clock::time_point next_draw_{};
};

}  // namespace lightrun::support
