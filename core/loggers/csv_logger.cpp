#include "loggers/csv_logger.hpp"

#include <lightrun/error.hpp>

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

constexpr std::array<std::string_view, 3> kFixedColumns = {"epoch", "step", "time_s"};
constexpr int64_t kPageBytes = 4096;

[[nodiscard]] std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

[[nodiscard]] std::string csv_field(std::string_view name) {
  if (name.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(name);
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + '"';
}

/// The kernel copies a write page by page and is killed only between two pages: a row inside one page is
/// written over the old one whole or not at all.
[[nodiscard]] bool is_in_one_page(int64_t start, int64_t bytes) {
  return start / kPageBytes == (start + bytes - 1) / kPageBytes;
}

}  // namespace

CsvLogger::CsvLogger(std::filesystem::path path) : path_(std::move(path)) {
  open(O_CREAT);
  struct stat status = {};
  if (::fstat(file_.get(), &status) != 0) support::throw_file_error("read", path_, errno);
  if (status.st_size > 0)
    throw RunError(fmt::format("cannot write {}: it holds the metrics of an earlier run", path_.string()));
  const std::string header = header_text();
  if (const int error = support::write_all_at(file_.get(), header, 0); error != 0)
    support::throw_file_error("write", path_, error);
  header_bytes_ = row_start_ = static_cast<int64_t>(header.size());
}

void CsvLogger::log_metrics(int64_t step, int64_t epoch, double seconds, const Metrics& metrics) {
  if (metrics.empty()) return;
  if (!has_row_ || step != row_.step || epoch != row_.epoch || would_lose_a_value(metrics)) {
    start_row(step, epoch, seconds);
  }
  const std::size_t columns = metrics_.size();
  try {
    add_columns(metrics);
    row_.values.resize(metrics_.size());
    for (std::size_t i = 0; i < metrics_.size(); ++i)
      if (const auto found = metrics.find(metrics_[i]); found != metrics.end())
        row_.values[i] = number_text(found->second);
    put_row(row_text(), metrics_.size() - columns);
  } catch (...) {
    // The file has the old columns still, and the run's endings may log again.
    metrics_.resize(columns);
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

void CsvLogger::open(int flags) {
  file_ = support::FileDescriptor(::open(path_.c_str(), O_WRONLY | O_CLOEXEC | flags, 0666));
  if (!file_.is_open()) support::throw_file_error("write", path_, errno);
}

void CsvLogger::start_row(int64_t step, int64_t epoch, double seconds) {
  row_start_ += static_cast<int64_t>(written_row_.size());
  written_row_.clear();
  row_ = {.epoch = epoch, .step = step, .seconds = seconds, .values = {}};
  has_row_ = true;
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
  const bool is_new = written_row_.empty();
  const bool fits_over = is_in_one_page(row_start_, bytes);  // a row only grows
  if (added_columns > 0 || !(is_new || fits_over)) {
    replace_file(text, added_columns);
  } else if (const int error = support::write_all_at(file_.get(), text, row_start_); error != 0) {
    restore_row();
    support::throw_file_error("write", path_, error);
  }
  written_row_ = text;
}

/// After a write that failed half-way: whole lines only. Its space is there, so this does not fail for a full
/// disk; where it fails nothing better can be done, and the first error is the one to report.
void CsvLogger::restore_row() {
  const int64_t end = row_start_ + static_cast<int64_t>(written_row_.size());
  if (::ftruncate(file_.get(), end) == 0)
    static_cast<void>(support::write_all_at(file_.get(), written_row_, row_start_));
}

/// Writes the file anew: the header, the earlier lines with as many empty values more, the last row.
void CsvLogger::replace_file(const std::string& last_row, std::size_t added_columns) {
  const std::string header = header_text();
  const std::string commas(added_columns, ',');
  const std::size_t earlier_lines_bytes = static_cast<std::size_t>(row_start_ - header_bytes_);
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
  row_start_ = row_start;
}

std::string CsvLogger::header_text() const {
  std::string text = fmt::format("{}", fmt::join(kFixedColumns, ","));
  for (const std::string& name : metrics_) text.append(",").append(csv_field(name));
  return text + '\n';
}

std::string CsvLogger::row_text() const {
  std::string text = fmt::format("{},{},{:.3f}", row_.epoch, row_.step, row_.seconds);
  for (const std::string& value : row_.values) text.append(",").append(value);
  return text + '\n';
}

}  // namespace lightrun::loggers
