#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace lightrun::support {

/// A folder that no other run has.
struct RunFolder {
  std::filesystem::path path;  ///< `<dir>/<name>/<number>`
  std::string warning;         ///< why `latest` does not point to it; empty: it does
};

/// Makes the folder of a new run of `name`: its number is one more than the highest that exists, from 0;
/// entries that are not numbers do not count. Runs that start together get a folder each. The link
/// `<dir>/<name>/latest` is pointed to it. Throws RunError naming the path and the system's reason.
[[nodiscard]] RunFolder make_run_folder(const std::filesystem::path& dir, std::string_view name);

}  // namespace lightrun::support
