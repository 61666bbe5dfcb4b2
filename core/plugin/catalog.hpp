#pragma once

#include "plugin/plugin_file.hpp"
#include "plugin/search_path.hpp"

#include <string>
#include <vector>

namespace lightrun::plugin {

/// A model some plugin offers.
struct FoundModel {
  std::string name;
  std::string help;
  std::string path;  ///< of the shared library
};

/// What the folders hold. No library in them has been opened.
struct Catalog {
  std::vector<FoundModel> models;   ///< in the order of the folders; two files may offer one name
  std::vector<PluginFile> refused;  ///< libraries that cannot be used, with the reason
};

/// Reads every library in `folders`; see search_path(). A file that is reached by two paths counts once, by
/// the first. A model in the folder `fallback` gives way to one of the same name in an earlier folder: a
/// build holds the same plugins as the lightrun installed from it.
[[nodiscard]] Catalog find_models(const std::vector<std::string>& folders,
                                  const std::string& fallback = fallback_folder());

}  // namespace lightrun::plugin
