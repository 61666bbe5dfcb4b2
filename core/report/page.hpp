#pragma once

#include "report/run_data.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace lightrun::report {

/// One self-contained HTML page on the runs, which needs nothing from anywhere else.
[[nodiscard]] std::string page_of(std::vector<RunData> runs);

/// Writes the page of the runs in `folders` to `out`, atomically. A page that lightrun wrote is replaced.
/// Throws RunError, naming the path, where `out` is anything else, or cannot be written.
void write_report(const std::vector<std::filesystem::path>& folders, const std::filesystem::path& out);

}  // namespace lightrun::report
