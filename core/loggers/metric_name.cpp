#include "loggers/metric_name.hpp"

#include <lightrun/error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace lightrun::loggers {

void check_metric_name(std::string_view name, const std::filesystem::path& path) {
  if (std::find(kFixedColumns.begin(), kFixedColumns.end(), name) == kFixedColumns.end()) return;
  throw RunError(
      fmt::format("cannot log a metric called \"{}\": {} has a column of that name; log it under another",
                  name, path.filename().string()));
}

}  // namespace lightrun::loggers
