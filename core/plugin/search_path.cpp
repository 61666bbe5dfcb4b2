#include "plugin/search_path.hpp"

#include <lightrun/error.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace lightrun::plugin {
namespace {

namespace fs = std::filesystem;

void check_plugin_dir(const std::string& folder) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  const std::string start = "--plugin-dir " + folder + ": ";
  if (!fs::exists(status)) throw PluginError(start + "no such folder; create it, or leave the flag out");
  if (!fs::is_directory(status)) throw PluginError(start + "not a folder; give the folder the plugin is in");
  fs::directory_iterator(folder, error);
  if (error) throw PluginError(start + "cannot be read: " + error.message());
}

std::vector<std::string> split_at_colons(std::string_view list) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    const std::string_view part = list.substr(0, list.find(':'));
    if (!part.empty()) parts.emplace_back(part);
    list.remove_prefix(std::min(part.size() + 1, list.size()));
  }
  return parts;
}

/// The library's own folder, not the executable's: a program that embeds lightrun may stand anywhere.
std::string folder_next_to_library() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&search_path), &info) == 0 || info.dli_fname == nullptr)
    return {};
  std::error_code error;
  const fs::path library = fs::weakly_canonical(info.dli_fname, error);
  return error ? std::string() : (library.parent_path() / "lightrun" / "plugins").string();
}

bool is_same(const std::string& a, const std::string& b) {
  std::error_code error;
  return a == b || fs::equivalent(a, b, error);
}

void add_once(std::vector<std::string>& folders, const std::string& folder) {
  const auto same = [&](const std::string& other) { return is_same(other, folder); };
  if (!folder.empty() && std::none_of(folders.begin(), folders.end(), same)) folders.push_back(folder);
}

/// Adds the `*.so` files in `folder`, and in its folders where there are `levels` left.
void add_libraries(const fs::path& folder, int levels, std::vector<std::string>& libraries) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    std::error_code unknown;
    if (entry->is_directory(unknown)) {
      if (levels > 0) add_libraries(entry->path(), levels - 1, libraries);
    } else if (entry->path().extension() == ".so") {
      libraries.push_back(entry->path().string());
    }
  }
}

}  // namespace

std::string fallback_folder() {
  const std::string installed = LIGHTRUN_INSTALLED_PLUGINS;
  return is_same(installed, folder_next_to_library()) ? std::string() : installed;
}

std::vector<std::string> search_path(const std::vector<std::string>& plugin_dirs) {
  std::vector<std::string> folders;
  for (const std::string& folder : plugin_dirs) {
    check_plugin_dir(folder);
    add_once(folders, folder);
  }
  if (const char* variable = std::getenv("LIGHTRUN_PLUGIN_PATH")) {
    for (const std::string& folder : split_at_colons(variable)) add_once(folders, folder);
  }
  add_once(folders, "./plugins");
  add_once(folders, folder_next_to_library());
  add_once(folders, fallback_folder());
  return folders;
}

std::vector<std::string> libraries_in(const std::string& folder) {
  std::vector<std::string> libraries;
  add_libraries(folder, 1, libraries);
  std::sort(libraries.begin(), libraries.end());
  return libraries;
}

}  // namespace lightrun::plugin
