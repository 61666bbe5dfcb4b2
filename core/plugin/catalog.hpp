#pragma once

#include "plugin/plugin_file.hpp"
#include "plugin/search_path.hpp"

#include <string>
#include <vector>

namespace lightrun::plugin {

/// A model, source or callback that some plugin offers.
struct FoundOffer {
  Offer offer;
  std::string path;  ///< of the shared library
};

/// What the folders hold. No library in them has been opened.
struct Catalog {
  std::vector<FoundOffer> offers;   ///< in the order of the folders; two files may offer one name
  std::vector<PluginFile> refused;  ///< libraries that cannot be used, with the reason
};

/// Reads every library in `folders`; see search_path(). A file that is reached by two paths counts once, by
/// the first. What is in the folder `fallback` gives way to what has the same kind and name in an earlier
/// folder: a build holds the same plugins as the lightrun installed from it.
[[nodiscard]] Catalog find_plugins(const std::vector<std::string>& folders,
                                   const std::string& fallback = fallback_folder());

}  // namespace lightrun::plugin
