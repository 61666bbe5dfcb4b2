#pragma once

#include <array>
#include <filesystem>
#include <string_view>

namespace lightrun::loggers {

/// What a line of a csv or jsonl file begins with, before the metrics.
inline constexpr std::array<std::string_view, 3> kFixedColumns = {"epoch", "step", "time_s"};

/// Throws RunError, naming the file, for a metric that is called like one of them.
void check_metric_name(std::string_view name, const std::filesystem::path& path);

}  // namespace lightrun::loggers
