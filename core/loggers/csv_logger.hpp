#pragma once

#include "loggers/logger.hpp"
#include "support/file_descriptor.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lightrun::loggers {

/// metrics.csv: a line of column names, then a line for each step that something was logged at.
///
/// Columns: `epoch` (from 0), `step`, `time_s` (seconds since the run's start, of the first call for that
/// step), then the metrics in the order they first appeared. What was not logged at a step is empty there.
/// Numbers have as few digits as give the same double back, or are `nan`, `inf`, `-inf`; a name with a comma
/// or a quote is quoted as in RFC 4180. `time_s` is the only column in which two equal runs differ.
///
/// What was logged has been given to the system when log_metrics returns: a run that is killed loses none of
/// it, and the file holds whole lines. A metric that is new later adds its column to all lines (the file is
/// replaced by a renamed one, as support/atomic_file.hpp says).
class CsvLogger : public Logger {
 public:
  /// Makes the file. Throws RunError, naming the path, where it cannot or where there is something in it
  /// already.
  explicit CsvLogger(std::filesystem::path path);

  /// A call for the same step and epoch as the one before completes that line, or begins another of that step
  /// where it has a second value for a metric. Throws RunError, naming the path, where the disk is full
  /// (whole lines remain), and for a metric that is called like one of the first three columns.
  void log_metrics(int64_t step, int64_t epoch, double seconds, const Metrics& metrics) override;

  /// Does nothing: nothing is held back.
  void flush() override {}

  /// Syncs the file to the disk and closes it.
  void finalize(const std::string& status) override;

 private:
  struct Row {
    int64_t epoch = 0;
    int64_t step = 0;
    double seconds = 0;
    std::vector<std::string> values;  // one a metric; empty: not logged
  };

  [[nodiscard]] bool would_lose_a_value(const Metrics& metrics) const;
  void open(int flags);
  void add_columns(const Metrics& metrics);
  void start_row(int64_t step, int64_t epoch, double seconds);
  void put_row(const std::string& text, std::size_t added_columns);
  void restore_row();
  void replace_file(const std::string& last_row, std::size_t added_columns);
  [[nodiscard]] std::string header_text() const;
  [[nodiscard]] std::string row_text() const;

  std::filesystem::path path_;
  support::FileDescriptor file_;
  std::vector<std::string> metrics_;  // names, in the order of the columns
  Row row_;                           // the last one
  bool has_row_ = false;
  std::string written_row_;  // it, as it is in the file
  int64_t header_bytes_ = 0;
  int64_t row_start_ = 0;  // where in the file the last row is, or the next one comes
};

}  // namespace lightrun::loggers
