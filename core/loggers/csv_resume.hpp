#pragma once

#include "loggers/csv_position.hpp"
#include "loggers/logger.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace lightrun::loggers {

/// A metrics.csv that is back where it was at a checkpoint.
struct ResumedCsv {
  CsvPosition position;
  int64_t last_line_start = 0;  ///< where in the file the last line is, or without lines the first one comes
  std::string warning;          ///< what was wrong with the earlier file, with its path; empty: nothing
};

/// Makes `path` what `from`, which may be the same path, was at `state`: CsvLogger says how. Throws RunError,
/// naming the path, where it cannot be written.
[[nodiscard]] ResumedCsv resume_csv(const std::filesystem::path& path, const LoggerState& state,
                                    const std::filesystem::path& from);

/// Whether both are the same file, or will be.
[[nodiscard]] bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace lightrun::loggers
