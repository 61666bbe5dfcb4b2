#include "loggers/csv_text.hpp"

#include <cstddef>

namespace lightrun::loggers {
namespace {

void append_cell(std::string& line, std::string_view cell) {
  if (cell.find_first_of(",\"\r\n") == std::string_view::npos) {
    line += cell;
    return;
  }
  line += '"';
  for (const char c : cell) {
    if (c == '"') line += '"';
    line += c;
  }
  line += '"';
}

}  // namespace

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += ',';
    append_cell(line, cells[i]);
  }
  return line + '\n';
}

std::optional<std::vector<std::string>> take_csv_line(std::string_view& text) {
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      // Two inside quotes are one; they leave the quotes and enter them again.
      if (!is_quoted && i > 0 && text[i - 1] == '"') cells.back() += '"';
      is_quoted = !is_quoted;
    } else if (is_quoted || (c != ',' && c != '\r' && c != '\n')) {
      cells.back() += c;
    } else if (c == ',') {
      cells.emplace_back();
    } else if (c == '\n') {
      text.remove_prefix(i + 1);
      return cells;
    }
  }
  return std::nullopt;
}

}  // namespace lightrun::loggers
