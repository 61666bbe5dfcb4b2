#pragma once

#include "plugin/plugin_file.hpp"

#include <string>
#include <vector>

namespace lightrun::plugin {

/// What a plugin that may be opened offers.
struct Choice {
  PluginFile file;
  Offer offer;
};

/// Whether it is the path of a shared library, not a name to look for: it has a slash or ends in ".so".
[[nodiscard]] bool is_library_path(const std::string& plugin);

/// Which model, source or callback of which file is meant, without opening any; arguments and errors as for
/// load_model().
[[nodiscard]] Choice choose(PluginKind kind, const std::string& plugin, const std::string& name,
                            const std::vector<std::string>& folders);

}  // namespace lightrun::plugin
