#pragma once

#include "loggers/histogram.hpp"

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

  /// Whether it takes histograms of the gradients of `step`: they cost time, and are measured only then.
  [[nodiscard]] virtual bool wants_histograms(int64_t /*step*/) const { return false; }

  /// Notes histograms by name at `step`, which it wants them of. Throws RunError where they cannot be kept.
  virtual void log_histograms(int64_t /*step*/, const Histograms& /*histograms*/) {}

  /// Hands over what is still held back. Throws RunError.
  virtual void flush() = 0;

  /// What is wrong with the files that were to be continued: a sentence with the path. Empty: nothing.
  [[nodiscard]] virtual const std::string& warning() const {
    static const std::string nothing;
    return nothing;
  }

  /// How far it is: of all that was logged until now.
  [[nodiscard]] virtual LoggerState state() const { return {}; }

  /// The run is over: "success", or why it ended. Nothing is logged afterwards. Throws RunError.
  virtual void finalize(const std::string& status) = 0;
};

}  // namespace lightrun::loggers
