#pragma once

#include <filesystem>

/// What stands where around the executable, in the build tree as when it is installed.
namespace lightrun::project {

/// Folder of the models that `lightrun new` copies, one folder each, and of their configs.
/// Throws RunError where it is not there.
[[nodiscard]] std::filesystem::path templates_folder();

/// Folder of lightrunConfig.cmake, for find_package(lightrun). Throws RunError where it is not there.
[[nodiscard]] std::filesystem::path cmake_folder();

}  // namespace lightrun::project
