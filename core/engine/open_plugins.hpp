#pragma once

#include "engine/run.hpp"
#include "plugin/load.hpp"

#include <lightrun/callback.hpp>

#include <memory>
#include <string>
#include <vector>

/// What of plugins the config names, opened. All throw PluginError, placed at the setting that names what
/// cannot be found or used.
namespace lightrun::engine {

using Folders = std::vector<std::string>;

/// Where sources and callbacks are looked for: in the library's own folder where model.plugin is a path, then
/// where models are (see plugin::search_path()).
[[nodiscard]] Folders plugin_folders(const config::RunSpec& spec, const Folders& plugin_dirs);

[[nodiscard]] plugin::LoadedModel load_plugin(const config::RunSpec& spec, const Folders& plugin_dirs);

/// The callback of the entry at `path` ("callbacks.0"), and its parameters. ConfigError where those are
/// wrong.
struct PluginCallback {
  plugin::LoadedCallback loaded;
  Params params;
};
[[nodiscard]] PluginCallback load_plugin_callback(const config::RunSpec& spec,
                                                  const config::PluginCallbackSpec& callback,
                                                  const std::string& path, const Folders& folders);

/// A source with its parameters, `path` is "data.train". What its constructor draws at random follows from
/// the run's seed, and changes nothing else.
[[nodiscard]] std::unique_ptr<sources::Source> open_plugin_source(const Run& run,
                                                                  const config::PluginSource& source,
                                                                  const std::string& path,
                                                                  const Folders& folders);

}  // namespace lightrun::engine
