#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lightrun::sources {

/// A table of comma-separated values (RFC 4180, read by libcsv). Rows are counted as a spreadsheet does: the
/// first one of the file, the header if there is one, is row 1; empty lines count and are left out.
class CsvTable {
 public:
  struct Column {
    std::string name;
    int64_t numbers = 0;     ///< cells that are finite numbers
    int64_t missing = 0;     ///< empty, or NA, N/A, NaN, null, None
    int64_t texts = 0;       ///< all others
    int64_t first_text = 0;  ///< the row of the first of these
    std::string example;     ///< ... and what it says

    [[nodiscard]] bool is_numeric() const { return texts == 0 && numbers > 0; }
  };

  /// Reads the file once. Throws RunError, with path and row: it is not there or empty, a row of another
  /// length, a column named twice, an open quote, bytes that are not UTF-8.
  CsvTable(std::string path, char delimiter, bool has_header);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
  [[nodiscard]] int64_t rows() const { return static_cast<int64_t>(numbers_.size()); }
  /// The column of that name, or nothing.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;
  /// The spreadsheet's number of data row `index` (from 0).
  [[nodiscard]] int64_t row_number(int64_t index) const { return numbers_[static_cast<std::size_t>(index)]; }

  /// Called with (data row from 0, column from 0, text) for every cell, row by row.
  using Visit = std::function<void(int64_t row, std::size_t column, std::string_view text)>;
  /// Reads the file again.
  void for_each_cell(const Visit& visit) const;

 private:
  void read_header(const std::vector<std::string>& names);
  void check_row(int64_t number, const std::vector<std::string>& row, std::size_t cells) const;
  static void count(Column& column, int64_t number, const std::string& text);

  std::string path_;
  char delimiter_;
  bool has_header_;
  std::vector<Column> columns_;
  std::vector<int64_t> numbers_;  ///< of each data row, in the file
};

[[nodiscard]] bool is_missing(std::string_view cell);

/// A cell's text as a message shows it: control characters as "\x00".
[[nodiscard]] std::string shown_cell(std::string_view cell);

/// A decimal number, whatever the locale; infinity where it is too large for a double.
[[nodiscard]] std::optional<double> cell_number(std::string_view cell);

}  // namespace lightrun::sources
