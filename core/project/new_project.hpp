#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lightrun::project {

/// The names that `from` may have.
[[nodiscard]] std::vector<std::string> template_names();

/// Writes the folder `folder`, called as the model: <name>.cpp, CMakeLists.txt and <name>.yaml, copied from
/// the model `from` with its name replaced, so that it builds and trains at once. Throws UsageError for a
/// name that is none, an unknown `from`, or a folder that is there already; RunError where it cannot be
/// written.
/// @return the files written
std::vector<std::filesystem::path> new_project(const std::filesystem::path& folder, const std::string& from);

}  // namespace lightrun::project
