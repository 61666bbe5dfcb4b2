#pragma once

#include "support/elide.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace lightrun::tests {

/// The screen of a terminal that breaks lines anew when it is resized, as most do: knows characters, \r, \n,
/// colours, ESC [ J, and ESC [ ? 7 l and h, between which a line that is too long is cut instead of broken.
class Screen {
 public:
  explicit Screen(std::size_t columns) : columns_(columns) {}

  void resize(std::size_t columns) { columns_ = columns; }

  void write(const std::string& output) {
    pending_ += output;
    while (!pending_.empty()) {
      const std::size_t taken = take();
      if (taken == 0) return;  // the rest of it has not come yet
      pending_.erase(0, taken);
    }
  }

  /// Lines as they were written, the one with the cursor last; empty ones at the end are left out.
  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < lines_.size(); ++i) texts.push_back(line_text(i));
    while (!texts.empty() && texts.back().empty()) texts.pop_back();
    return texts;
  }

  [[nodiscard]] std::string text() const {
    std::string all;
    for (const std::string& line : lines()) all += line + '\n';
    return all;
  }

  /// Lines that were too long for the screen as it was when they were written: broken, or cut.
  [[nodiscard]] const std::vector<std::string>& broken() const { return broken_; }

  /// The cursor is at the start of an empty line.
  [[nodiscard]] bool is_at_line_start() const { return at_ == 0 && lines_[line_].empty(); }

  /// Sequences that it does not know.
  [[nodiscard]] const std::string& unknown() const { return unknown_; }

 private:
  [[nodiscard]] std::string line_text(std::size_t line) const {
    std::string text;
    for (const auto& cell : lines_[line]) text += cell;
    return text.substr(0, text.find_last_not_of(' ') + 1);
  }

  /// Bytes at the start of what is pending that were carried out; 0: they are not whole.
  std::size_t take() {
    const char first = pending_.front();
    if (first == '\x1b') return take_sequence();
    if (first == '\r') {
      at_ = row_start();
    } else if (first == '\n') {
      ++line_;
      at_ = 0;
      if (line_ == lines_.size()) lines_.emplace_back();
    } else {
      return take_character();
    }
    return 1;
  }

  std::size_t take_character() {
    const auto lead = static_cast<unsigned char>(pending_.front());
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    if (pending_.size() < length) return 0;
    const std::string character = pending_.substr(0, length);
    const std::size_t width = support::display_width(character);
    auto& cells = lines_[line_];
    const bool is_long = at_ % columns_ + width > columns_ || (at_ > 0 && at_ % columns_ == 0);
    if (is_long && !wraps_) at_ = row_start() + columns_ - width;
    if (is_long) broken_.push_back(support::elide(line_text(line_), 100));
    if (cells.size() < at_ + width) cells.resize(at_ + width, " ");
    for (std::size_t i = 0; i < width; ++i) cells[at_++] = i == 0 ? character : "";
    return length;
  }

  std::size_t take_sequence() {
    const std::size_t end = pending_.find_first_not_of("0123456789;?", 2);
    if (pending_.size() < 3 || end == std::string::npos) return 0;
    const std::string number = pending_.substr(2, end - 2);
    if (pending_[end] == 'J') {
      lines_.resize(line_ + 1);
      lines_[line_].resize(std::min(lines_[line_].size(), at_));
    } else if (number == "?7") {
      wraps_ = pending_[end] == 'h';
    } else if (pending_[end] != 'm') {
      unknown_ += pending_.substr(1, end);
    }
    return end + 1;
  }

  /// Of the row that the cursor is in; after a row's last character it is still in it.
  [[nodiscard]] std::size_t row_start() const { return at_ == 0 ? 0 : (at_ - 1) / columns_ * columns_; }

  std::size_t columns_;
  std::vector<std::vector<std::string>> lines_{1};
  std::size_t line_ = 0;
  bool wraps_ = true;
  std::size_t at_ = 0;  ///< the cursor's place in the line
  std::string pending_;
  std::vector<std::string> broken_;
  std::string unknown_;
};

}  // namespace lightrun::tests
