#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lightrun::loggers {

/// The cells as a line, with its newline. One with a comma, a quote or a line break is quoted as in RFC 4180.
[[nodiscard]] std::string csv_line(const std::vector<std::string>& cells);

/// Takes the first line off `text` and answers its cells; nothing, and `text` stays, where it has no end.
/// Inside quotes a line goes on over line breaks; the end of a line may be "\r\n".
[[nodiscard]] std::optional<std::vector<std::string>> take_csv_line(std::string_view& text);

}  // namespace lightrun::loggers
