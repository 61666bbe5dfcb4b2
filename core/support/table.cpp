#include "support/table.hpp"

#include "support/elide.hpp"

#include <algorithm>
#include <utility>

namespace lightrun::support {

void Table::add_row(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::vector<std::string> Table::lines() const {
  std::vector<std::string> titles;
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) {
    titles.push_back(column.title);
    widths.push_back(display_width(column.title));
  }
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));

  std::vector<std::string> result = {line(titles, widths)};
  for (const auto& row : rows_) result.push_back(line(row, widths));
  return result;
}

std::string Table::line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) const {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) text += "  ";
    text += columns_[i].align == Align::left ? pad_right(cells[i], widths[i]) : pad_left(cells[i], widths[i]);
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

}  // namespace lightrun::support
