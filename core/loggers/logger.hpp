#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace lightrun::loggers {

/// Where the metrics of a run go. Called from one thread, after the callbacks and the model have logged
/// theirs.
class Logger {
 public:
  using Metrics = std::map<std::string, double, std::less<>>;

  virtual ~Logger() = default;

  /// Notes metrics by name at `step` (optimizer steps of the run) in `epoch` (from 0), `seconds` after the
  /// run's start. Several calls may have the same step. Throws RunError where they cannot be kept.
  virtual void log_metrics(int64_t step, int64_t epoch, double seconds, const Metrics& metrics) = 0;

  /// Hands over what is still held back. Throws RunError.
  virtual void flush() = 0;

  /// The run is over: "success", or why it ended. Nothing is logged afterwards. Throws RunError.
  virtual void finalize(const std::string& status) = 0;
};

}  // namespace lightrun::loggers
