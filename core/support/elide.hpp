#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lightrun::support {

/// Columns that `text` (UTF-8, one line) takes on a terminal. Colour sequences take none, East Asian
/// characters two.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// `text` cut to at most `width` columns, ending in "..." where something was cut. Control characters and
/// bytes that are not UTF-8 become '?'; colour sequences are kept and, after a cut, switched off.
[[nodiscard]] std::string elide(std::string_view text, std::size_t width);

/// `text` in lines of at most `width` columns, broken at spaces, and where a word is longer than that, within
/// it. It has no colours.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// `text` with spaces after it up to `width` columns, or before it.
[[nodiscard]] std::string pad_right(std::string_view text, std::size_t width);
[[nodiscard]] std::string pad_left(std::string_view text, std::size_t width);

}  // namespace lightrun::support
