#include "loggers/csv_logger.hpp"

#include "loggers/csv_position.hpp"
#include "loggers/csv_resume.hpp"
#include "loggers/csv_text.hpp"
#include "loggers/metric_name.hpp"
#include "loggers/number_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <ostream>
#include <utility>

namespace lightrun::loggers {
namespace {

/// Makes the file where it is not the one that is continued.
[[nodiscard]] ResumedCsv resume_into(const std::filesystem::path& path, const LoggerState& state,
                                     const std::filesystem::path& from) {
  if (!is_same_file(path, from)) static_cast<void>(LineFile::make(path));
  return resume_csv(path, state, from);
}

}  // namespace

CsvLogger::CsvLogger(std::filesystem::path path) : file_(LineFile::make(std::move(path))) {
  file_.append(csv_line(columns()));
  header_bytes_ = file_.end();
}

CsvLogger::CsvLogger(std::filesystem::path path, const LoggerState& state, const std::filesystem::path& from)
    : CsvLogger(path, resume_into(path, state, from)) {}

CsvLogger::CsvLogger(std::filesystem::path path, ResumedCsv resumed)
    : warning_(std::move(resumed.warning)),
      file_(LineFile::take_up(
          std::move(path), resumed.last_line_start,
          resumed.position.lines > 0 ? csv_line(resumed.position.last_line) : std::string())),
      lines_(resumed.position.lines) {
  const auto& [columns, lines, last_line] = resumed.position;
  metrics_.assign(columns.begin() + kFixedColumns.size(), columns.end());
  header_bytes_ = std::ssize(csv_line(columns));
  if (lines == 0) return;
  row_ = {.epoch = std::stoll(last_line[0]),
          .step = std::stoll(last_line[1]),
          .time_s = last_line[2],
          .values = {last_line.begin() + kFixedColumns.size(), last_line.end()}};
}

void CsvLogger::log_metrics(int64_t step, int64_t epoch, double seconds, const Metrics& metrics) {
  if (metrics.empty()) return;
  const std::size_t columns = metrics_.size();
  const Row before = row_;
  try {
    const bool is_new = begins_row(step, epoch, metrics);
    if (is_new) row_ = {.epoch = epoch, .step = step, .time_s = fmt::format("{:.3f}", seconds), .values = {}};
    add_columns(metrics);
    row_.values.resize(metrics_.size());
    for (std::size_t i = 0; i < metrics_.size(); ++i)
      if (const auto found = metrics.find(metrics_[i]); found != metrics.end())
        row_.values[i] = number_text(found->second);
    put_row(is_new, metrics_.size() - columns);
  } catch (...) {
    // As the file still is: the run's endings may log again.
    metrics_.resize(columns);
    row_ = before;
    throw;
  }
}

/// A second value of a metric would take the place of the first one.
bool CsvLogger::begins_row(int64_t step, int64_t epoch, const Metrics& metrics) const {
  if (lines_ == 0 || step != row_.step || epoch != row_.epoch) return true;
  for (std::size_t i = 0; i < row_.values.size(); ++i) {
    const auto found = metrics.find(metrics_[i]);
    if (found != metrics.end() && !row_.values[i].empty() && row_.values[i] != number_text(found->second))
      return true;
  }
  return false;
}

LoggerState CsvLogger::state() const {
  if (lines_ == 0) return to_state({.columns = columns(), .lines = 0, .last_line = {}});
  return to_state({.columns = columns(), .lines = lines_, .last_line = row_cells()});
}

void CsvLogger::add_columns(const Metrics& metrics) {
  for (const auto& [name, value] : metrics) {
    check_metric_name(name, file_.path());
    if (std::find(metrics_.begin(), metrics_.end(), name) == metrics_.end()) metrics_.push_back(name);
  }
}

/// With columns more the file is written anew: the header, the earlier lines with as many empty values more,
/// the last row.
void CsvLogger::put_row(bool is_new, std::size_t added_columns) {
  const std::string row = csv_line(row_cells());
  if (added_columns > 0) {
    const std::string header = csv_line(columns());
    const std::string commas(added_columns, ',');
    const int64_t earlier_end = is_new ? file_.end() : file_.last_line_start();
    const auto write_earlier = [&](std::istream& earlier, std::ostream& stream) {
      stream << header;
      int64_t written = std::ssize(header);
      int64_t copied = header_bytes_;
      earlier.seekg(header_bytes_);
      for (std::string line; copied < earlier_end && std::getline(earlier, line);) {
        copied += std::ssize(line) + 1;
        stream << line << commas << '\n';
        written += std::ssize(line) + std::ssize(commas) + 1;
      }
      return copied == earlier_end ? written : int64_t(-1);
    };
    file_.replace(write_earlier, row);
    header_bytes_ = std::ssize(header);
  } else if (is_new) {
    file_.append(row);
  } else {
    file_.change_last(row);
  }
  if (is_new) ++lines_;
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
