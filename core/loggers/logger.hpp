#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace lightrun::loggers {

/// What a checkpoint keeps of a logger, so that a run that is resumed from it continues what is written: text
/// to text, in a form of the logger's own. Empty: there is nothing to continue.
using LoggerState = std::map<std::string, std::string>;

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

  /// How far it is: of all that was logged until now.
  [[nodiscard]] virtual LoggerState state() const { return {}; }

  /// The run is over: "success", or why it ended. Nothing is logged afterwards. Throws RunError.
  virtual void finalize(const std::string& status) = 0;
};

}  // namespace lightrun::loggers
