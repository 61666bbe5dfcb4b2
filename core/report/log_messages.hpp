#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace lightrun::report {

inline constexpr std::size_t kMostLogMessages = 500;

/// A warning or an error of a run's log.
struct LogMessage {
  std::string time;   ///< "2026-11-30 19:04:53.120"
  std::string level;  ///< "warning", "error" or "critical"
  std::string text;   ///< may have several lines
};

struct LogMessages {
  std::vector<LogMessage> messages;  ///< the first kMostLogMessages
  std::size_t left_out = 0;
};

/// Reads what a log.txt warns of, line by line. A file that is not there has none. Throws RunError where it
/// cannot be read.
[[nodiscard]] LogMessages read_log_messages(const std::filesystem::path& path);

}  // namespace lightrun::report
