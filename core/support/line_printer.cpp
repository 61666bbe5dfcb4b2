#include "support/line_printer.hpp"

#include "support/elide.hpp"
#include "support/file_descriptor.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace lightrun::support {
namespace {

constexpr std::string_view kEraseLine = "\r\x1b[K";

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

void LinePrinter::status(std::string text) {
  if (!terminal_.interactive) return;
  const std::lock_guard lock(mutex_);
  status_ = std::move(text);
  if (due()) redraw();
}

void LinePrinter::end_status() {
  const std::lock_guard lock(mutex_);
  if (status_.empty()) return;
  draw();
  write("\n");
  status_.clear();
  drawn_ = false;
}

void LinePrinter::clear_status() {
  const std::lock_guard lock(mutex_);
  erase();
  status_.clear();
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

void LinePrinter::redraw() {
  if (interrupts_ == 0) draw();
}

void LinePrinter::draw() {
  if (status_.empty()) return;
  write(std::string(kEraseLine) + elide(status_, static_cast<std::size_t>(width())));
  drawn_ = true;
  next_draw_ = clock_() + kRedrawInterval;
}

void LinePrinter::erase() {
  if (!drawn_) return;
  write(kEraseLine);
  drawn_ = false;
}

void LinePrinter::write(std::string_view text) {
  if (failed_) return;
  // What the model printed by other means comes first.
  if (fd_ == ::fileno(stdout)) std::fflush(stdout);
  failed_ = write_all(fd_, text) != 0;
}

}  // namespace lightrun::support
