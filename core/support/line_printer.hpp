#pragma once

#include "support/terminal.hpp"

#include <chrono>
#include <cstddef>
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
  /// Writes the status in one line of at most `width` columns. `waiting` is what the run waits for just now
  /// ("saving last.ckpt 2.1 s"), mostly nothing. Called whenever the line is drawn, on any thread.
  using Status = std::function<std::string(int width, std::string_view waiting)>;
  static constexpr std::chrono::milliseconds kRedrawInterval{100};
  /// A wait is shown once it has lasted this long; where there is no status, which it would flicker in,
  /// sooner.
  static constexpr std::chrono::milliseconds kLongWait{1000};
  static constexpr std::chrono::milliseconds kLongWaitAlone{500};

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

  /// Makes this the status: drawn at most every kRedrawInterval, otherwise kept until it is due or the line
  /// ends.
  void status(Status status);

  /// Draws the status again if it has changed: the width, a wait. A RefreshThread does it now and then.
  void refresh();

  /// Leaves the last status as a line that stays.
  void end_status();

  /// Takes the status away.
  void clear_status();

  /// Lets `print` write to the same terminal by other means (a warning to stderr), with the status out of its
  /// way. What it prints must end in a newline.
  void interrupt(const std::function<void()>& print);

 private:
  friend class Wait;

  void begin_wait(std::string_view what);
  void end_wait();
  [[nodiscard]] bool is_long(std::chrono::steady_clock::duration wait) const;
  [[nodiscard]] std::string waiting() const;
  [[nodiscard]] std::string text() const;
  void redraw();
  void draw(const std::string& text);
  void erase();
  void write(std::string_view text);

  mutable std::recursive_mutex mutex_;  // recursive: what interrupt() calls may print a line
  int fd_;
  Terminal terminal_;
  Clock clock_;
  Status status_;          // empty: none
  std::string waits_for_;  // empty: for nothing
  std::string drawn_;      // what is on the status line now
  int drawn_width_ = 0;    // for which it was written
  int interrupts_ = 0;     // under way, one within the other
  bool failed_ = false;    // the screen is gone
  std::chrono::steady_clock::time_point wait_began_{};
  std::chrono::steady_clock::time_point share_began_{};  // where `waited_` counts from
  std::chrono::steady_clock::duration waited_{};
  std::string wait_share_;  // "waiting for data 62 %", of the second or so before; mostly empty
  std::chrono::steady_clock::time_point next_draw_{};
};

/// As long as it lives, the run waits for something, and a status line says so if it takes long ("waiting for
/// data 3.2 s"), or if half of the time goes into it ("waiting for data 62 %"). One at a time. Costs next to
/// nothing; without a printer or a terminal, nothing.
class Wait {
 public:
  /// @param printer may be null; outlives it
  Wait(LinePrinter* printer, std::string_view what);
  ~Wait();
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;

 private:
  LinePrinter* printer_;
};

}  // namespace lightrun::support
