#pragma once

#include "loggers/csv_resume.hpp"
#include "loggers/line_file.hpp"
#include "loggers/logger.hpp"

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
/// it, and the file holds whole lines (LineFile says how). A metric that is new later adds its column to all
/// lines (the file is replaced by a renamed one, as support/atomic_file.hpp says).
class CsvLogger : public Logger {
 public:
  /// Makes the file. Throws RunError, naming the path, where it cannot or where there is something in it
  /// already.
  explicit CsvLogger(std::filesystem::path path);

  /// Continues the file of a run that was interrupted, from where it was at `state` (of a checkpoint): when
  /// the rest is logged again, the file has the bytes that it would have without the interruption.
  ///
  /// `path` then holds the columns and the lines that `from` had at the checkpoint, the last line as it was
  /// then, and nothing that came later. `from` is the same path, or the earlier run's file, which stays as it
  /// is; in that case `path` must be new, as above. resume_lines() says what becomes of a file that does not
  /// fit; it fails no run: warning() says so.
  ///
  /// Throws RunError, naming the path, where the file cannot be written.
  CsvLogger(std::filesystem::path path, const LoggerState& state, const std::filesystem::path& from);

  [[nodiscard]] const std::string& warning() const override { return warning_; }

  /// A call for the same step and epoch as the one before completes that line, or begins another of that step
  /// where it has a second value for a metric. Throws RunError, naming the path, where the disk is full
  /// (whole lines remain), and for a metric that is called like one of the first three columns.
  void log_metrics(int64_t step, int64_t epoch, double seconds, const Metrics& metrics) override;

  /// Does nothing: nothing is held back.
  void flush() override {}

  /// The columns, the number of lines of metrics and the last of them, as they are in the file: `columns` and
  /// `last_line` as text without the newline, `lines` in digits.
  [[nodiscard]] LoggerState state() const override;

  /// Syncs the file to the disk and closes it.
  void finalize(const std::string& /*status*/) override { file_.close(); }

 private:
  /// The last line of metrics.
  struct Row {
    int64_t epoch = 0;
    int64_t step = 0;
    std::string time_s;
    std::vector<std::string> values;  // one a metric; empty: not logged
  };

  CsvLogger(std::filesystem::path path, ResumedCsv resumed);
  [[nodiscard]] bool begins_row(int64_t step, int64_t epoch, const Metrics& metrics) const;
  void add_columns(const Metrics& metrics);
  void put_row(bool is_new, std::size_t added_columns);
  [[nodiscard]] std::vector<std::string> columns() const;
  [[nodiscard]] std::vector<std::string> row_cells() const;

  std::string warning_;
  LineFile file_;
  std::vector<std::string> metrics_;  // names, in the order of the columns
  int64_t header_bytes_ = 0;
  int64_t lines_ = 0;  // of metrics
  Row row_;
};

}  // namespace lightrun::loggers
