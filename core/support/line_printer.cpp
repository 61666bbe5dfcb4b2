#include "support/line_printer.hpp"

#include "support/duration.hpp"
#include "support/elide.hpp"
#include "support/file_descriptor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace lightrun::support {
namespace {

constexpr double kLargeShare = 0.5;  // of the time, spent in waits

// The cursor waits at the line's start: a terminal that is made narrower breaks the line into several, and
// all of them are below the cursor. A line that was written for a terminal that is narrower by now is cut by
// it.
constexpr std::string_view kErase = "\r\x1b[J";
constexpr std::string_view kNoWrap = "\x1b[?7l";
constexpr std::string_view kWrapAndReturn = "\x1b[?7h\r";

}  // namespace

LinePrinter::LinePrinter(int fd, Terminal terminal, Clock clock)
    : fd_(fd), terminal_(terminal), clock_(std::move(clock)) {}

LinePrinter::~LinePrinter() {
  end_status();
}

int LinePrinter::width() const {
  // A character in the last column makes some terminals start a new line.
  return std::max(terminal_width(fd_) - 1, 1);
}

int LinePrinter::height() const {
  return terminal_height(fd_);
}

void LinePrinter::line(std::string_view text) {
  const std::lock_guard lock(mutex_);
  erase();
  write(std::string(text) + "\n");
  redraw();
}

bool LinePrinter::due() const {
  if (!terminal_.interactive) return false;
  const std::lock_guard lock(mutex_);
  return clock_() >= next_draw_;
}

void LinePrinter::status(Status status) {
  if (!terminal_.interactive) return;
  const std::lock_guard lock(mutex_);
  status_ = std::move(status);
  if (due()) redraw();
}

void LinePrinter::refresh() {
  const std::lock_guard lock(mutex_);
  const std::string now = text();
  if (now == drawn_ && width() == drawn_width_) return;
  if (now.empty()) {
    erase();
  } else {
    draw(now);
  }
}

void LinePrinter::end_status() {
  const std::lock_guard lock(mutex_);
  if (!status_) return clear_status();
  redraw();
  write("\n");
  drawn_.clear();
  status_ = nullptr;
}

void LinePrinter::clear_status() {
  const std::lock_guard lock(mutex_);
  erase();
  status_ = nullptr;
  wait_share_.clear();
}

void LinePrinter::interrupt(const std::function<void()>& print) {
  const std::lock_guard lock(mutex_);
  erase();
  ++interrupts_;
  try {
    print();
  } catch (...) {
    --interrupts_;
    throw;
  }
  --interrupts_;
  redraw();
}

void LinePrinter::begin_wait(std::string_view what) {
  const std::lock_guard lock(mutex_);
  waits_for_ = what;
  wait_began_ = clock_();
  const auto period = wait_began_ - share_began_;
  if (period < kLongWait) return;
  const double share = seconds(waited_) / seconds(period);
  wait_share_ = status_ && share >= kLargeShare ? fmt::format("{} {:.0f} %", what, share * 100) : "";
  share_began_ = wait_began_;
  waited_ = {};
}

void LinePrinter::end_wait() {
  const std::lock_guard lock(mutex_);
  const auto lasted = clock_() - wait_began_;
  waits_for_.clear();
  if (!is_long(lasted)) {
    waited_ += lasted;
    return;
  }
  share_began_ += lasted;  // it was shown for itself
  refresh();
}

bool LinePrinter::is_long(std::chrono::steady_clock::duration wait) const {
  return wait >= (status_ ? kLongWait : kLongWaitAlone);
}

/// What is said of the wait, if there is a long one, or of many short ones.
std::string LinePrinter::waiting() const {
  if (waits_for_.empty()) return wait_share_;
  const auto lasted = clock_() - wait_began_;
  return is_long(lasted) ? fmt::format("{} {}", waits_for_, duration_text(seconds(lasted))) : wait_share_;
}

/// What the status line should be, cut to the width that the terminal has now.
std::string LinePrinter::text() const {
  if (!terminal_.interactive) return {};
  const int columns = width();
  const std::string wait = waiting();
  return elide(status_ ? status_(columns, wait) : wait, static_cast<std::size_t>(columns));
}

void LinePrinter::redraw() {
  if (interrupts_ > 0) return;
  if (const std::string now = text(); !now.empty()) draw(now);
}

void LinePrinter::draw(const std::string& text) {
  write(fmt::format("{}{}{}{}", kErase, kNoWrap, text, kWrapAndReturn));
  drawn_ = text;
  drawn_width_ = width();
  next_draw_ = clock_() + kRedrawInterval;
}

void LinePrinter::erase() {
  if (drawn_.empty()) return;
  write(kErase);
  drawn_.clear();
}

void LinePrinter::write(std::string_view text) {
  if (failed_) return;
  // What the model printed by other means comes first.
  if (fd_ == ::fileno(stdout)) std::fflush(stdout);
  failed_ = write_all(fd_, text) != 0;
}

Wait::Wait(LinePrinter* printer, std::string_view what)
    : printer_(printer && printer->terminal().interactive ? printer : nullptr) {
  if (printer_) printer_->begin_wait(what);
}

Wait::~Wait() {
  if (printer_) printer_->end_wait();
}

}  // namespace lightrun::support
