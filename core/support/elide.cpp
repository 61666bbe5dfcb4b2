#include "support/elide.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace lightrun::support {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};
/// The blocks of wide characters, roughly; the exact table is the size of this library.
constexpr std::array<Range, 9> kWide = {{{0x1100, 0x115F},
                                         {0x2E80, 0xA4CF},
                                         {0xAC00, 0xD7A3},
                                         {0xF900, 0xFAFF},
                                         {0xFE30, 0xFE6F},
                                         {0xFF00, 0xFF60},
                                         {0xFFE0, 0xFFE6},
                                         {0x1F300, 0x1FAFF},
                                         {0x20000, 0x3FFFD}}};

/// A piece of text that is kept or cut as a whole.
struct Glyph {
  std::string_view bytes;
  std::size_t columns = 0;
  bool printable = true;
};

[[nodiscard]] std::size_t columns_of(char32_t c) {
  if (c >= 0x300 && c <= 0x36F) return 0;  // accents put on the letter before
  const bool wide = std::any_of(kWide.begin(), kWide.end(),
                                [c](Range range) { return c >= range.first && c <= range.last; });
  return wide ? 2 : 1;
}

/// Length of the colour sequence (ESC [ ... m) that `text` begins with, or 0.
[[nodiscard]] std::size_t color_sequence_length(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const std::size_t end = text.find_first_not_of("0123456789;", 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

/// The first glyph of `text`, which is not empty.
[[nodiscard]] Glyph first_glyph(std::string_view text) {
  if (const std::size_t length = color_sequence_length(text); length > 0) return {text.substr(0, length), 0};
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x20 || lead == 0x7F) return {text.substr(0, 1), 1, false};
  if (lead < 0x80) return {text.substr(0, 1), 1};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 0;
  if (length == 0 || text.size() < length) return {text.substr(0, 1), 1, false};
  char32_t code = lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0u) != 0x80) return {text.substr(0, 1), 1, false};
    code = (code << 6) | (next & 0x3Fu);
  }
  return {text.substr(0, length), columns_of(code)};
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Glyph glyph = first_glyph(text);
    width += glyph.columns;
    text.remove_prefix(glyph.bytes.size());
  }
  return width;
}

std::string elide(std::string_view text, std::size_t width) {
  constexpr std::string_view kDots = "...";
  const bool cut = display_width(text) > width;
  const std::string_view dots = width > kDots.size() ? kDots : std::string_view{};
  const std::size_t room = cut ? width - dots.size() : width;
  std::string result;
  bool colored = false;
  std::size_t used = 0;
  while (!text.empty()) {
    const Glyph glyph = first_glyph(text);
    if (used + glyph.columns > room) break;
    used += glyph.columns;
    colored = colored || glyph.bytes.starts_with('\x1b');
    result += glyph.printable ? glyph.bytes : std::string_view("?");
    text.remove_prefix(glyph.bytes.size());
  }
  if (!cut) return result;
  result += dots;
  if (colored) result += "\x1b[0m";
  return result;
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (display_width(text) > width) {
    std::size_t fits = 0;   // bytes that fit
    std::size_t space = 0;  // where the last space in them stands, or just after
    for (std::size_t used = 0; fits < text.size();) {
      const Glyph glyph = first_glyph(text.substr(fits));
      if (glyph.bytes == " ") space = fits;
      used += glyph.columns;
      if (used > width && fits > 0) break;
      fits += glyph.bytes.size();
    }
    const std::size_t end = space > 0 ? space : fits;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(text.find_first_not_of(' ', end), text.size()));
  }
  if (!text.empty() || lines.empty()) lines.emplace_back(text);
  return lines;
}

std::string pad_right(std::string_view text, std::size_t width) {
  const std::size_t used = display_width(text);
  return std::string(text) + std::string(width > used ? width - used : 0, ' ');
}

std::string pad_left(std::string_view text, std::size_t width) {
  const std::size_t used = display_width(text);
  return std::string(width > used ? width - used : 0, ' ') + std::string(text);
}

}  // namespace lightrun::support
