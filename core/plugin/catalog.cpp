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

/// What tells one offer from another.
using Key = std::pair<PluginKind, std::string>;

std::set<Key> keys(const std::vector<FoundOffer>& found) {
  std::set<Key> keys;
  for (const FoundOffer& each : found) keys.emplace(each.offer.kind, each.offer.name);
  return keys;
}

}  // namespace

Catalog find_plugins(const std::vector<std::string>& folders, const std::string& fallback) {
  Catalog catalog;
  std::set<FileId> seen;
  for (const std::string& folder : folders) {
    const std::set<Key> taken = folder == fallback ? keys(catalog.offers) : std::set<Key>();
    for (const std::string& path : libraries_in(folder)) {
      if (!is_new(path, seen)) continue;
      PluginFile file = read_plugin_file(path);
      if (file.refused) {
        catalog.refused.push_back(std::move(file));
        continue;
      }
      for (Offer& offer : file.offers) {
        if (!taken.contains({offer.kind, offer.name})) catalog.offers.push_back({std::move(offer), path});
      }
    }
  }
  return catalog;
}

}  // namespace lightrun::plugin
