#pragma once

#include <lightrun/callback.hpp>
#include <lightrun/data.hpp>
#include <lightrun/module.hpp>
#include <lightrun/params.hpp>
#include <lightrun/plugin_note.hpp>

#include <memory>
#include <string>
#include <vector>

namespace lightrun::plugin {

/// A model, source or callback whose plugin is open. Plugins are never closed, so it may be copied and kept
/// at will.
template <typename Product>
struct Loaded {
  PluginKind kind;
  std::string name;
  std::string help;
  std::string path;                       ///< of the shared library, as it was given or found
  std::string directory;                  ///< the folder it really is in, absolute: for Params
  ParamDecls parameters;                  ///< what it declares
  Product (*make)(const Params& params);  ///< may throw anything; see create()
};
using LoadedModel = Loaded<std::shared_ptr<Module>>;
using LoadedSource = Loaded<DataLoader>;
using LoadedCallback = Loaded<std::unique_ptr<Callback>>;

/// Finds, checks and opens a model's plugin.
///
/// `plugin` is a model's registered name, looked for in `folders` (see search_path()), or the path of a
/// shared library: it has a slash or ends in ".so". `name` says which model of a library with several; else
/// it may be empty.
///
/// Throws PluginError, one line with the path, the reason and what to do: no such model, two plugins with one
/// name, a file that cannot be used (see read_plugin_file(), function_in()), a plugin whose note and code do
/// not agree.
[[nodiscard]] LoadedModel load_model(const std::string& plugin, const std::string& name,
                                     const std::vector<std::string>& folders);
/// The same for a source of data.
[[nodiscard]] LoadedSource load_source(const std::string& plugin, const std::string& name,
                                       const std::vector<std::string>& folders);
/// The same for a callback.
[[nodiscard]] LoadedCallback load_callback(const std::string& plugin, const std::string& name,
                                           const std::vector<std::string>& folders);

/// Builds it. A ConfigError of its constructor passes; whatever else it throws becomes a PluginError that
/// names plugin, kind and name. Product is that of LoadedModel, LoadedSource or LoadedCallback.
template <typename Product>
[[nodiscard]] Product create(const Loaded<Product>& loaded, const Params& params);

}  // namespace lightrun::plugin
