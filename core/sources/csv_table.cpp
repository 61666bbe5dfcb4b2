#include "sources/csv_table.hpp"

#include "support/file_descriptor.hpp"
#include "support/quantity.hpp"
#include "support/text.hpp"

#include <lightrun/error.hpp>

#include <csv.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <set>
#include <utility>

namespace lightrun::sources {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::size_t kBytesAtOnce = 1 << 20;

/// libcsv, row by row.
class Reader {
 public:
  using Row = std::vector<std::string>;
  using TakeRow = std::function<void(int64_t number, const Row& row, std::size_t cells)>;

  Reader(const std::string& path, char delimiter, TakeRow take_row)
      : path_(path), take_row_(std::move(take_row)) {
    csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI | CSV_REPALL_NL);
    csv_set_delim(&parser_, static_cast<unsigned char>(delimiter));
  }
  ~Reader() { csv_free(&parser_); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  void read() {
    std::ifstream file(path_, std::ios::binary);
    if (!file) throw RunError(fmt::format("{}: cannot be read: {}", path_, support::errno_text(errno)));
    std::string bytes(kBytesAtOnce, '\0');
    for (bool is_first = true; file; is_first = false) {
      file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      std::string_view part(bytes.data(), static_cast<std::size_t>(file.gcount()));
      if (is_first && part.starts_with(kByteOrderMark)) part.remove_prefix(kByteOrderMark.size());
      if (csv_parse(&parser_, part.data(), part.size(), on_cell, on_row, this) != part.size()) fail();
    }
    if (file.bad()) throw RunError(path_ + ": cannot be read");
    if (csv_fini(&parser_, on_cell, on_row, this) != 0) fail();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  static void on_cell(void* text, std::size_t size, void* self) {
    auto& reader = *static_cast<Reader*>(self);
    if (reader.cells_ == reader.row_.size()) reader.row_.emplace_back();
    reader.row_[reader.cells_++].assign(static_cast<const char*>(text), size);
  }

  /// What it throws must not pass through C. Empty lines are counted and left out.
  static void on_row(int terminator, void* self) {
    auto& reader = *static_cast<Reader*>(self);
    const std::size_t cells = std::exchange(reader.cells_, 0);
    const bool ends_a_pair = std::exchange(reader.last_terminator_, terminator) == '\r' && terminator == '\n';
    if (cells == 0 && ends_a_pair) return;
    ++reader.rows_;
    if (cells == 0 || reader.error_) return;
    try {
      reader.take_row_(reader.rows_, reader.row_, cells);
    } catch (...) {
      reader.error_ = std::current_exception();
    }
  }

  [[noreturn]] void fail() {
    if (error_) std::rethrow_exception(error_);
    throw RunError(
        fmt::format("{}: row {}: a quote is not where it should be: a cell with quotes begins and ends with "
                    "one, and those inside are doubled",
                    path_, rows_ + 1));
  }

  const std::string& path_;
  TakeRow take_row_;
  csv_parser parser_{};
  Row row_;  ///< keeps its strings' memory from row to row
  std::size_t cells_ = 0;
  int64_t rows_ = 0;
  int last_terminator_ = 0;
  std::exception_ptr error_;
};

/// What is said of an empty header.
void check_names(const std::string& path, const std::vector<std::string>& names) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) throw RunError(fmt::format("{}: row 1: column {} has no name", path, i + 1));
    if (support::invalid_utf8(names[i]))
      throw RunError(fmt::format("{}: row 1: the name of column {} is not UTF-8", path, i + 1));
    if (!seen.insert(names[i]).second)
      throw RunError(fmt::format("{}: row 1: two columns are called '{}'", path, shown_cell(names[i])));
  }
}

}  // namespace

bool is_missing(std::string_view cell) {
  constexpr auto kMissing = std::to_array<std::string_view>({"", "NA", "N/A", "NaN", "nan", "null", "None"});
  return std::ranges::find(kMissing, cell) != kMissing.end();
}

std::string shown_cell(std::string_view cell) {
  std::string shown;
  for (const char c : cell) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f)
      shown += fmt::format("\\x{:02x}", static_cast<unsigned>(byte));
    else
      shown += c;
  }
  return shown;
}

std::optional<double> cell_number(std::string_view cell) {
  if (cell.starts_with('+')) cell.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (end != cell.data() + cell.size() || !std::isfinite(value)) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    const bool is_tiny =
        cell.find("e-") != std::string_view::npos || cell.find("E-") != std::string_view::npos;
    return is_tiny ? 0 : std::numeric_limits<double>::infinity();
  }
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

CsvTable::CsvTable(std::string path, char delimiter, bool has_header)
    : path_(std::move(path)), delimiter_(delimiter), has_header_(has_header) {
  Reader(path_, delimiter_, [&](int64_t number, const Reader::Row& row, std::size_t cells) {
    if (columns_.empty()) {
      read_header({row.begin(), row.begin() + static_cast<std::ptrdiff_t>(cells)});
      if (has_header_) return;
    }
    check_row(number, row, cells);
    for (std::size_t i = 0; i < cells; ++i) count(columns_[i], number, row[i]);
    numbers_.push_back(number);
  }).read();
  if (numbers_.empty())
    throw RunError(path_ + (columns_.empty() ? ": is empty" : ": has no rows below its header"));
}

void CsvTable::read_header(const std::vector<std::string>& names) {
  if (has_header_) check_names(path_, names);
  for (std::size_t i = 0; i < names.size(); ++i)
    columns_.emplace_back().name = has_header_ ? names[i] : std::to_string(i);
}

void CsvTable::check_row(int64_t number, const std::vector<std::string>& row, std::size_t cells) const {
  if (cells != columns_.size()) {
    throw RunError(fmt::format("{}: row {} has {}, the first row has {}", path_, number,
                               support::counted(static_cast<int64_t>(cells), "cell", "cells"),
                               columns_.size()));
  }
  for (std::size_t i = 0; i < cells; ++i) {
    if (support::invalid_utf8(row[i]))
      throw RunError(
          fmt::format("{}: row {}, column {}: is not UTF-8", path_, number, shown_cell(columns_[i].name)));
  }
}

void CsvTable::count(Column& column, int64_t number, const std::string& text) {
  if (is_missing(text)) {
    ++column.missing;
  } else if (cell_number(text)) {
    ++column.numbers;
  } else if (column.texts++ == 0) {
    column.first_text = number;
    column.example = text;
  }
}

void CsvTable::for_each_cell(const Visit& visit) const {
  int64_t index = 0;
  bool is_header = has_header_;
  Reader(path_, delimiter_, [&](int64_t number, const Reader::Row& row, std::size_t cells) {
    if (std::exchange(is_header, false)) return;
    check_row(number, row, cells);
    if (index == rows()) throw RunError(path_ + ": has grown while it was read");
    for (std::size_t i = 0; i < cells; ++i) visit(index, i, row[i]);
    ++index;
  }).read();
  if (index != rows()) throw RunError(path_ + ": has shrunk while it was read");
}

std::optional<std::size_t> CsvTable::find(std::string_view name) const {
  const auto at = std::ranges::find(columns_, name, &Column::name);
  if (at == columns_.end()) return std::nullopt;
  return static_cast<std::size_t>(at - columns_.begin());
}

}  // namespace lightrun::sources
