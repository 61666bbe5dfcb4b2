#include "plugin/catalog.hpp"

#include <sys/stat.h>

#include <set>
#include <string>
#include <utility>

namespace lightrun::plugin {
namespace {

/// Device and inode.
using FileId = std::pair<dev_t, ino_t>;

/// Whether the file is met for the first time; a broken link always is.
bool is_new(const std::string& path, std::set<FileId>& seen) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) != 0 || seen.emplace(facts.st_dev, facts.st_ino).second;
}

std::set<std::string> names(const std::vector<FoundModel>& models) {
  std::set<std::string> names;
  for (const FoundModel& model : models) names.insert(model.name);
  return names;
}

}  // namespace

Catalog find_models(const std::vector<std::string>& folders, const std::string& fallback) {
  Catalog catalog;
  std::set<FileId> seen;
  for (const std::string& folder : folders) {
    const std::set<std::string> taken = folder == fallback ? names(catalog.models) : std::set<std::string>();
    for (const std::string& path : libraries_in(folder)) {
      if (!is_new(path, seen)) continue;
      PluginFile file = read_plugin_file(path);
      if (file.refused) {
        catalog.refused.push_back(std::move(file));
        continue;
      }
      for (ModelNote& model : file.models) {
        if (taken.contains(model.name)) continue;
        catalog.models.push_back({std::move(model.name), std::move(model.help), path});
      }
    }
  }
  return catalog;
}

}  // namespace lightrun::plugin
