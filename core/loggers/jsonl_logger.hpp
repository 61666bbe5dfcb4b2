#pragma once

#include "loggers/jsonl_line.hpp"
#include "loggers/line_file.hpp"
#include "loggers/line_resume.hpp"
#include "loggers/logger.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace lightrun::loggers {

/// metrics.jsonl: one JSON object a line, for each step that something was logged at:
///   {"epoch":0,"step":49,"time_s":1.131,"lr":1,"train_loss":0.5}
///
/// First `epoch` (from 0), `step` and `time_s` (seconds since the run's start, of the first call for that
/// step), then what was logged there, in the order of the calls and by name within each. Numbers have as few
/// digits as give the same double back. NaN and the infinities, which JSON has no numbers for, are the
/// strings "nan", "inf" and "-inf". `time_s` is the only value in which two equal runs differ.
///
/// What was logged has been given to the system when log_metrics returns: a run that is killed loses none of
/// it, and the file holds whole lines (LineFile says how).
class JsonlLogger : public Logger {
 public:
  /// Makes the file. Throws RunError, naming the path, where it cannot or where there is something in it
  /// already.
  explicit JsonlLogger(std::filesystem::path path);

  /// Continues the file of a run that was interrupted, from where it was at `state` (of a checkpoint), as
  /// CsvLogger does.
  JsonlLogger(std::filesystem::path path, const LoggerState& state, const std::filesystem::path& from);

  [[nodiscard]] const std::string& warning() const override { return warning_; }

  /// A call for the same step and epoch as the one before completes that line, or begins another of that step
  /// where it has a second value for a metric. Throws RunError, naming the path, where the disk is full
  /// (whole lines remain), and for a metric that is called like one of the first three values.
  void log_metrics(int64_t step, int64_t epoch, double seconds, const Metrics& metrics) override;

  /// Does nothing: nothing is held back.
  void flush() override {}

  /// The number of lines, `lines`, and the last of them without its newline, `last_line`.
  [[nodiscard]] LoggerState state() const override;

  /// Syncs the file to the disk and closes it.
  void finalize(const std::string& /*status*/) override { file_.close(); }

 private:
  JsonlLogger(std::filesystem::path path, const LinePosition& position, ResumedLines resumed);

  std::string warning_;
  LineFile file_;
  int64_t lines_ = 0;
  JsonlLine last_;  // of the file
};

}  // namespace lightrun::loggers
