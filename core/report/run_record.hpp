#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lightrun::report {

struct ProfileRow {
  std::string action;
  int64_t calls = 0;
  double total_s = 0;
};

/// What a run says of itself in run.json. Whatever is not there, or is not what it should be, is empty.
struct RunRecord {
  std::string run_id;
  std::string lightrun;
  std::string libtorch;
  std::vector<std::string> command;
  std::string model;
  std::string plugin;
  std::vector<std::string> devices;
  std::optional<int64_t> parameters;
  std::map<std::string, std::string> environment;
  std::string started;  ///< "2026-11-30T19:04:53Z"
  std::string ended;
  std::string status;  ///< "running", "complete", "stopped", "failed"
  std::string reason;
  std::optional<double> seconds;
  std::vector<ProfileRow> profile;
};

/// Throws RunError "is no JSON object" where the text is none.
[[nodiscard]] RunRecord parse_run_record(std::string_view text);

}  // namespace lightrun::report
