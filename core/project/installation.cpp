#include "project/installation.hpp"

#include <lightrun/error.hpp>

#include <dlfcn.h>

#include <system_error>

namespace lightrun::project {
namespace {

namespace fs = std::filesystem;

/// Of liblightrun_base.so: a program that embeds lightrun may stand anywhere.
fs::path library_folder() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&templates_folder), &info) == 0 || info.dli_fname == nullptr)
    return {};
  std::error_code error;
  return fs::weakly_canonical(info.dli_fname, error).parent_path();
}

fs::path existing(const fs::path& folder, const char* what) {
  if (fs::is_directory(folder)) return folder;
  throw RunError("lightrun's " + std::string(what) + " are not at " + folder.string() +
                 ": install lightrun whole (cmake --install), or build it whole");
}

}  // namespace

fs::path templates_folder() {
  // lib/liblightrun_base.so, or lib/<architecture>/liblightrun_base.so
  fs::path folder = library_folder().parent_path() / "share/lightrun/templates";
  if (!fs::is_directory(folder))
    folder = library_folder().parent_path().parent_path() / "share/lightrun/templates";
  return existing(folder, "templates");
}

fs::path cmake_folder() {
  return existing(library_folder() / "cmake/lightrun", "CMake files");
}

}  // namespace lightrun::project
