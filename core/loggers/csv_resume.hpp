#pragma once

#include "loggers/csv_position.hpp"
#include "loggers/line_resume.hpp"
#include "loggers/logger.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace lightrun::loggers {

/// A metrics.csv that is back where it was at a checkpoint.
struct ResumedCsv {
  CsvPosition position;
  int64_t last_line_start = 0;  ///< as in ResumedLines
  std::string warning;
};

/// Makes `path` what `from`, which may be the same path, was at `state`: resume_lines() says how; empty where
/// `state` is of no metrics.csv. Throws RunError, naming the path, where it cannot be written.
[[nodiscard]] ResumedCsv resume_csv(const std::filesystem::path& path, const LoggerState& state,
                                    const std::filesystem::path& from);

}  // namespace lightrun::loggers
