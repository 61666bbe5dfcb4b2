#include "loggers/csv_logger.hpp"

#include <lightrun/error.hpp>

#include "loggers/csv_position.hpp"
#include "loggers/csv_resume.hpp"
#include "loggers/csv_text.hpp"
#include "support/atomic_file.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <fstream>
#include <utility>

namespace lightrun::loggers {
namespace {

constexpr int64_t kPageBytes = 4096;

[[nodiscard]] std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

/// The kernel copies a write page by page and is killed only between two pages: a row inside one page is
/// written over the old one whole or not at all.
[[nodiscard]] bool is_in_one_page(int64_t start, int64_t bytes) {
  return start / kPageBytes == (start + bytes - 1) / kPageBytes;
}

}  // namespace

CsvLogger::CsvLogger(std::filesystem::path path) : path_(std::move(path)) {
  make();
  const std::string header = csv_line(columns());
  if (const int error = support::write_all_at(file_.get(), header, 0); error != 0)
    support::throw_file_error("write", path_, error);
  header_bytes_ = row_.start = std::ssize(header);
}

CsvLogger::CsvLogger(std::filesystem::path path, const LoggerState& state, const std::filesystem::path& from)
    : path_(std::move(path)) {
  if (!is_same_file(path_, from)) make();
  ResumedCsv resumed = resume_csv(path_, state, from);
  warning_ = std::move(resumed.warning);
  metrics_.assign(resumed.position.columns.begin() + kFixedColumns.size(), resumed.position.columns.end());
  header_bytes_ = std::ssize(csv_line(columns()));
  row_.start = resumed.last_line_start;
  if (resumed.position.lines > 0) take_up_row(resumed.position);
  open(0);
}

void CsvLogger::log_metrics(int64_t step, int64_t epoch, double seconds, const Metrics& metrics) {
  if (metrics.empty()) return;
  const std::size_t columns = metrics_.size();
  const Row before = row_;
  try {
    if (row_.text.empty() || step != row_.step || epoch != row_.epoch || would_lose_a_value(metrics))
      start_row(step, epoch, seconds);
    add_columns(metrics);
    row_.values.resize(metrics_.size());
    for (std::size_t i = 0; i < metrics_.size(); ++i)
      if (const auto found = metrics.find(metrics_[i]); found != metrics.end())
        row_.values[i] = number_text(found->second);
    put_row(csv_line(row_cells()), metrics_.size() - columns);
  } catch (...) {
    // As the file still is: the run's endings may log again.
    metrics_.resize(columns);
    row_ = before;
    throw;
  }
}

bool CsvLogger::would_lose_a_value(const Metrics& metrics) const {
  for (std::size_t i = 0; i < row_.values.size(); ++i) {
    const auto found = metrics.find(metrics_[i]);
    if (found != metrics.end() && !row_.values[i].empty() && row_.values[i] != number_text(found->second))
      return true;
  }
  return false;
}

void CsvLogger::finalize(const std::string& /*status*/) {
  if (::fsync(file_.get()) != 0 && errno != EINVAL) support::throw_file_error("write", path_, errno);
  if (const int error = file_.close(); error != 0) support::throw_file_error("write", path_, error);
}

LoggerState CsvLogger::state() const {
  if (row_.text.empty()) return to_state({.columns = columns(), .lines = 0, .last_line = {}});
  return to_state({.columns = columns(), .lines = row_.lines_before + 1, .last_line = row_cells()});
}

/// For a file of its own.
void CsvLogger::make() {
  open(O_CREAT);
  struct stat status = {};
  if (::fstat(file_.get(), &status) != 0) support::throw_file_error("read", path_, errno);
  if (status.st_size > 0)
    throw RunError(fmt::format("cannot write {}: it holds the metrics of an earlier run", path_.string()));
}

void CsvLogger::open(int flags) {
  file_ = support::FileDescriptor(::open(path_.c_str(), O_WRONLY | O_CLOEXEC | flags, 0666));
  if (!file_.is_open()) support::throw_file_error("write", path_, errno);
}

void CsvLogger::start_row(int64_t step, int64_t epoch, double seconds) {
  row_ = {.epoch = epoch,
          .step = step,
          .time_s = fmt::format("{:.3f}", seconds),
          .values = {},
          .text = {},
          .start = row_.start + std::ssize(row_.text),
          .lines_before = row_.lines_before + (row_.text.empty() ? 0 : 1)};
}

/// The last line of an earlier run's file.
void CsvLogger::take_up_row(const CsvPosition& position) {
  const std::vector<std::string>& cells = position.last_line;
  row_ = {.epoch = std::stoll(cells[0]),
          .step = std::stoll(cells[1]),
          .time_s = cells[2],
          .values = {cells.begin() + kFixedColumns.size(), cells.end()},
          .text = csv_line(cells),
          .start = row_.start,
          .lines_before = position.lines - 1};
}

void CsvLogger::add_columns(const Metrics& metrics) {
  for (const auto& [name, value] : metrics) {
    if (std::find(kFixedColumns.begin(), kFixedColumns.end(), name) != kFixedColumns.end())
      throw RunError(
          fmt::format("cannot log a metric called \"{}\": {} has a column of that name; log it under another",
                      name, path_.filename().string()));
    if (std::find(metrics_.begin(), metrics_.end(), name) == metrics_.end()) metrics_.push_back(name);
  }
}

void CsvLogger::put_row(const std::string& text, std::size_t added_columns) {
  const auto bytes = static_cast<int64_t>(text.size());
  const bool is_new = row_.text.empty();
  const bool fits_over = is_in_one_page(row_.start, bytes);  // a row only grows
  if (added_columns > 0 || !(is_new || fits_over)) {
    replace_file(text, added_columns);
  } else if (const int error = support::write_all_at(file_.get(), text, row_.start); error != 0) {
    restore_row();
    support::throw_file_error("write", path_, error);
  }
  row_.text = text;
}

/// After a write that failed half-way: whole lines only. Its space is there, so this does not fail for a full
/// disk; where it fails nothing better can be done, and the first error is the one to report.
void CsvLogger::restore_row() {
  const int64_t end = row_.start + static_cast<int64_t>(row_.text.size());
  if (::ftruncate(file_.get(), end) == 0)
    static_cast<void>(support::write_all_at(file_.get(), row_.text, row_.start));
}

/// Writes the file anew: the header, the earlier lines with as many empty values more, the last row.
void CsvLogger::replace_file(const std::string& last_row, std::size_t added_columns) {
  const std::string header = csv_line(columns());
  const std::string commas(added_columns, ',');
  const std::size_t earlier_lines_bytes = static_cast<std::size_t>(row_.start - header_bytes_);
  int64_t row_start = static_cast<int64_t>(header.size());
  support::write_file_atomically(path_, [&](std::ostream& stream) {
    stream << header;
    std::ifstream old(path_, std::ios::binary);
    old.seekg(header_bytes_);
    std::size_t copied = 0;
    for (std::string line; copied < earlier_lines_bytes && std::getline(old, line);) {
      copied += line.size() + 1;
      stream << line << commas << '\n';
      row_start += static_cast<int64_t>(line.size() + commas.size() + 1);
    }
    if (copied != earlier_lines_bytes)
      throw RunError(fmt::format("cannot write {}: something else has changed it", path_.string()));
    stream << last_row;
  });
  open(0);
  header_bytes_ = static_cast<int64_t>(header.size());
  row_.start = row_start;
}

std::vector<std::string> CsvLogger::columns() const {
  std::vector<std::string> names = fixed_columns();
  names.insert(names.end(), metrics_.begin(), metrics_.end());
  return names;
}

std::vector<std::string> CsvLogger::row_cells() const {
  std::vector<std::string> cells = {std::to_string(row_.epoch), std::to_string(row_.step), row_.time_s};
  cells.insert(cells.end(), row_.values.begin(), row_.values.end());
  return cells;
}

}  // namespace lightrun::loggers
