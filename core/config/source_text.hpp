#pragma once

#include "config/value.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lightrun::config {

/// A file's text and the places in it. yaml-cpp counts lines and bytes from 0, people lines and characters
/// from 1. A byte order mark at the start belongs to no line.
class SourceText {
 public:
  /// `text` must outlive this.
  SourceText(std::string_view text, std::string file);

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::size_t lines() const { return line_starts_.size(); }
  /// Without its line break; "" beyond the end.
  [[nodiscard]] std::string_view line(std::size_t line) const;
  /// Of a byte in the text, at most its size.
  [[nodiscard]] std::size_t offset(std::size_t line, std::size_t byte_column) const;
  [[nodiscard]] Mark mark(std::size_t line, std::size_t byte_column) const;
  [[nodiscard]] Mark mark_of_offset(std::size_t offset) const;

  /// What no YAML text may have: bytes that are not UTF-8, control characters.
  [[nodiscard]] std::optional<Problem> bad_character() const;

 private:
  std::string_view text_;
  std::string file_;
  std::vector<std::size_t> line_starts_;
};

}  // namespace lightrun::config
