#include "config/source_text.hpp"

#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lightrun::config {

SourceText::SourceText(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  line_starts_.push_back(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') line_starts_.push_back(i + 1);
  }
}

std::string_view SourceText::line(std::size_t line) const {
  if (line >= lines()) return "";
  const std::string_view rest = text_.substr(line_starts_[line]);
  return rest.substr(0, rest.find_first_of("\r\n"));
}

std::size_t SourceText::offset(std::size_t line, std::size_t byte_column) const {
  if (line >= lines()) return text_.size();
  return std::min(line_starts_[line] + byte_column, text_.size());
}

Mark SourceText::mark(std::size_t line, std::size_t byte_column) const {
  const std::size_t last = lines() - 1;
  if (line > last) return mark_of_offset(text_.size());
  const std::size_t start = line_starts_[line];
  const std::size_t before = support::characters(text_.substr(start, offset(line, byte_column) - start));
  return {file_, static_cast<int>(line + 1), static_cast<int>(before + 1)};
}

Mark SourceText::mark_of_offset(std::size_t offset) const {
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  if (after == line_starts_.begin()) return {file_, 1, 1};
  const auto line = static_cast<std::size_t>(after - line_starts_.begin() - 1);
  return mark(line, offset - line_starts_[line]);
}

std::optional<Problem> SourceText::bad_character() const {
  if (const auto at = support::invalid_utf8(text_)) {
    const auto byte = static_cast<unsigned>(static_cast<unsigned char>(text_[*at]));
    return Problem{mark_of_offset(*at), "", fmt::format("not UTF-8: byte 0x{:02x} at offset {}", byte, *at)};
  }
  const auto is_control = [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F;
  };
  const auto at = std::find_if(text_.begin(), text_.end(), is_control);
  if (at == text_.end()) return std::nullopt;
  return Problem{mark_of_offset(static_cast<std::size_t>(at - text_.begin())), "",
                 fmt::format("control character 0x{:02x}", static_cast<unsigned>(*at))};
}

}  // namespace lightrun::config
