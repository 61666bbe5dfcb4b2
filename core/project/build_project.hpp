#pragma once

#include <filesystem>
#include <string>

namespace lightrun::project {

struct BuildRequest {
  std::filesystem::path source;   ///< a folder with a CMakeLists.txt or with *.cpp, or one .cpp file
  std::filesystem::path plugins;  ///< where the plugin goes: <plugins>/<name>/<name>.so
  bool verbose = false;           ///< the compiler's whole output
};

/// Compiles a plugin by CMake, in `<source's folder>/.build`, with the flags it must have. What CMake and the
/// compiler say goes to stderr where it fails. Throws UsageError where there is nothing to compile, RunError
/// where CMake is missing or fails.
/// @return the shared library
std::filesystem::path build_project(const BuildRequest& request);

}  // namespace lightrun::project
