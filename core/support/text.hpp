#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lightrun::support {

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (bytes).
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate that was probably meant by `word`: the nearest within a third of its length (at most four
/// edits), the first of equals; or else the only one that has `word` as some of its parts (`epochs`:
/// `max_epochs`). Nothing where `word` is a candidate itself.
[[nodiscard]] std::optional<std::string> did_you_mean(std::string_view word,
                                                      const std::vector<std::string>& candidates);

/// "a, b, c".
[[nodiscard]] std::string join(const std::vector<std::string>& words, std::string_view separator = ", ");

/// ASCII letters small, all else as it is.
[[nodiscard]] std::string lower_case(std::string text);

/// "a, b or c".
[[nodiscard]] std::string either(const std::vector<std::string>& words);

/// The words of `text` in lines of at most `width` characters; a longer word has a line of its own.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, std::size_t width);

/// Offset of the first byte that is not UTF-8 (overlong forms and surrogates are not), or nothing.
[[nodiscard]] std::optional<std::size_t> invalid_utf8(std::string_view text);

/// Number of characters (code points) of UTF-8 text.
[[nodiscard]] std::size_t characters(std::string_view text);

}  // namespace lightrun::support
