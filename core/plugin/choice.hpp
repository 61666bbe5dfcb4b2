#pragma once

#include "plugin/plugin_file.hpp"

#include <string>
#include <vector>

namespace lightrun::plugin {

/// A model of a plugin that may be opened.
struct Choice {
  PluginFile file;
  ModelNote model;
};

/// Which model of which file is meant, without opening any; arguments and errors as for load_model().
[[nodiscard]] Choice choose_model(const std::string& plugin, const std::string& model_name,
                                  const std::vector<std::string>& folders);

}  // namespace lightrun::plugin
