#pragma once

#include "loggers/logger.hpp"
#include "loggers/metric_name.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lightrun::loggers {

/// As strings. The columns of the metrics follow.
[[nodiscard]] std::vector<std::string> fixed_columns();

/// How far a metrics.csv is.
struct CsvPosition {
  std::vector<std::string> columns;    ///< their names, the fixed ones too
  int64_t lines = 0;                   ///< of metrics
  std::vector<std::string> last_line;  ///< the cells of the last of them, one a column; none without lines
};

/// As a checkpoint keeps it.
[[nodiscard]] LoggerState to_state(const CsvPosition& position);

/// The position that to_state() was given; nothing where `state` is not of a metrics.csv.
[[nodiscard]] std::optional<CsvPosition> position_of(const LoggerState& state);

/// Whether the cells are a line of metrics: epoch, step and time_s, then numbers or nothing.
[[nodiscard]] bool is_line_of_metrics(const std::vector<std::string>& cells);

}  // namespace lightrun::loggers
