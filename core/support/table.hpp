#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace lightrun::support {

/// Text in aligned columns.
class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::left;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// One cell a column; missing ones are empty.
  void add_row(std::vector<std::string> cells);

  /// The titles and the rows, one line each, columns two spaces apart, without spaces at the line's end.
  [[nodiscard]] std::vector<std::string> lines() const;

 private:
  [[nodiscard]] std::string line(const std::vector<std::string>& cells,
                                 const std::vector<std::size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace lightrun::support
