#pragma once

#include <lightrun/export.hpp>

#include <optional>
#include <string>
#include <vector>

namespace lightrun::report {

/// What `lightrun report` asks of the engine's library.
struct ReportRequest {
  std::vector<std::string> runs;        ///< folders of runs, or of their names
  std::optional<std::string> out = {};  ///< the file; else report.html, of one run in its folder
};

inline constexpr const char* kReportSymbol = "lightrun_report";
using ReportFunction = int(const ReportRequest&);

}  // namespace lightrun::report

/// Writes the report on the runs and prints where it is. Throws RunError for a folder that is no run, and for
/// a file that is there already and no report of lightrun.
extern "C" LIGHTRUN_API int lightrun_report(const lightrun::report::ReportRequest& request);
