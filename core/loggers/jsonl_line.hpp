#pragma once

#include "loggers/logger.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace lightrun::loggers {

/// One line of a metrics.jsonl.
struct JsonlLine {
  int64_t epoch = 0;
  int64_t step = 0;
  std::map<std::string, std::string, std::less<>> values = {};  ///< of each metric, as JSON
  std::string text = {};                                        ///< with its newline

  /// Adds metrics behind those that are there; one that has its value already stays.
  void add(const Logger::Metrics& metrics);

  /// Whether one of `metrics` has another value here.
  [[nodiscard]] bool contradicts(const Logger::Metrics& metrics) const;
  /// Whether all that `other` has is here, too; the time aside.
  [[nodiscard]] bool completes(const JsonlLine& other) const;
};

/// A line without metrics.
[[nodiscard]] JsonlLine begin_jsonl_line(int64_t step, int64_t epoch, double seconds);

/// The line of `text`, which ends with a newline; nothing where it is none that JsonlLogger writes.
[[nodiscard]] std::optional<JsonlLine> read_jsonl_line(std::string_view text);

}  // namespace lightrun::loggers
