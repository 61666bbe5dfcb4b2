#pragma once

#include <lightrun/module.hpp>
#include <lightrun/params.hpp>

#include <memory>
#include <string>
#include <vector>

namespace lightrun::plugin {

/// A model whose plugin is open. Plugins are never closed, so it may be copied and kept at will.
struct LoadedModel {
  std::string name;
  std::string help;
  std::string path;       ///< of the shared library, as it was given or found
  std::string directory;  ///< the folder it really is in, absolute: for Params
  ParamDecls parameters;  ///< what the model declares
  std::shared_ptr<Module> (*create)(const Params& params);  ///< may throw anything; see create_model()
};

/// Finds, checks and opens a model's plugin.
///
/// `plugin` is a model's registered name, looked for in `folders` (see search_path()), or the path of a
/// shared library: it has a slash or ends in ".so". `model_name` says which model of a library with several;
/// else it may be empty.
///
/// Throws PluginError, one line with the path, the reason and what to do: no such model, two plugins with one
/// name, a file that cannot be used (see read_plugin_file(), open_library()), a plugin whose note and code do
/// not agree.
[[nodiscard]] LoadedModel load_model(const std::string& plugin, const std::string& model_name,
                                     const std::vector<std::string>& folders);

/// Builds the module. A ConfigError of its constructor passes; whatever else it throws becomes a PluginError
/// that names plugin and model.
[[nodiscard]] std::shared_ptr<Module> create_model(const LoadedModel& model, const Params& params);

}  // namespace lightrun::plugin
