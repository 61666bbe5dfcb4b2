#include "loggers/csv_position.hpp"

#include "loggers/csv_text.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace lightrun::loggers {
namespace {

constexpr auto kColumns = "columns";
constexpr auto kLines = "lines";
constexpr auto kLastLine = "last_line";

template <typename Number>
[[nodiscard]] bool is_number(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

[[nodiscard]] bool is_integer(std::string_view text) {
  int64_t number = 0;
  return is_number(text, number);
}

[[nodiscard]] bool is_value(std::string_view text) {
  double number = 0;
  return text.empty() || is_number(text, number);
}

[[nodiscard]] std::string line_without_newline(const std::vector<std::string>& cells) {
  std::string line = csv_line(cells);
  line.pop_back();
  return line;
}

/// The cells of `state[key]`: one line, or nothing.
[[nodiscard]] std::vector<std::string> cells_at(const LoggerState& state, const char* key) {
  const auto found = state.find(key);
  if (found == state.end() || found->second.empty()) return {};
  const std::string line = found->second + '\n';
  std::string_view rest = line;
  const auto cells = take_csv_line(rest);
  return cells && rest.empty() ? *cells : std::vector<std::string>();
}

}  // namespace

std::vector<std::string> fixed_columns() {
  return {kFixedColumns.begin(), kFixedColumns.end()};
}

LoggerState to_state(const CsvPosition& position) {
  return {{kColumns, line_without_newline(position.columns)},
          {kLines, std::to_string(position.lines)},
          {kLastLine, line_without_newline(position.last_line)}};
}

std::optional<CsvPosition> position_of(const LoggerState& state) {
  CsvPosition position = {
      .columns = cells_at(state, kColumns), .lines = 0, .last_line = cells_at(state, kLastLine)};
  const auto& [columns, lines, last_line] = position;
  const bool columns_fit = columns.size() >= kFixedColumns.size() &&
                           std::equal(kFixedColumns.begin(), kFixedColumns.end(), columns.begin());
  const auto lines_text = state.find(kLines);
  if (!columns_fit || lines_text == state.end() || !is_number(lines_text->second, position.lines))
    return std::nullopt;
  const bool last_line_fits =
      lines == 0 ? last_line.empty() : last_line.size() == columns.size() && is_line_of_metrics(last_line);
  if (lines < 0 || !last_line_fits) return std::nullopt;
  return position;
}

bool is_line_of_metrics(const std::vector<std::string>& cells) {
  return cells.size() >= kFixedColumns.size() && is_integer(cells[0]) && is_integer(cells[1]) &&
         std::all_of(cells.begin() + 2, cells.end(), is_value);
}

}  // namespace lightrun::loggers
