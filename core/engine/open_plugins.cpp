#include "engine/open_plugins.hpp"

#include "config/bind_params.hpp"
#include "engine/generators.hpp"
#include "plugin/choice.hpp"
#include "plugin/search_path.hpp"

#include <lightrun/error.hpp>

#include <ATen/Context.h>

#include <filesystem>
#include <utility>

namespace lightrun::engine {
namespace {

/// Runs `open`; a PluginError gets the place of the setting at `path`.
template <typename Open>
auto placed(const config::RunSpec& spec, const std::string& path, Open&& open) {
  try {
    return open();
  } catch (const PluginError& error) {
    const auto at = spec.origins.find(path);
    const config::Mark mark = at == spec.origins.end() ? config::Mark() : at->second;
    throw PluginError(config::Problem{mark, path, error.what()}.message());
  }
}

template <typename Product>
Params params_of(const config::Value& given, const plugin::Loaded<Product>& loaded, const std::string& path) {
  return config::bind_params(given, loaded.parameters, loaded.directory, loaded.name, path + ".params");
}

}  // namespace

Folders plugin_folders(const config::RunSpec& spec, const Folders& plugin_dirs) {
  Folders folders = plugin::search_path(plugin_dirs);
  if (!plugin::is_library_path(spec.model.plugin)) return folders;
  const std::string own = std::filesystem::path(spec.model.plugin).parent_path().string();
  folders.insert(folders.begin(), own.empty() ? "." : own);
  return folders;
}

plugin::LoadedModel load_plugin(const config::RunSpec& spec, const Folders& plugin_dirs) {
  const Folders folders = plugin::search_path(plugin_dirs);
  return placed(spec, "model.plugin",
                [&] { return plugin::load_model(spec.model.plugin, spec.model.name, folders); });
}

PluginCallback load_plugin_callback(const config::RunSpec& spec, const config::PluginCallbackSpec& callback,
                                    const std::string& path, const Folders& folders) {
  auto loaded =
      placed(spec, path + ".name", [&] { return plugin::load_callback(callback.name, "", folders); });
  auto params = params_of(callback.params, loaded, path);
  return {std::move(loaded), std::move(params)};
}

std::unique_ptr<sources::Source> open_plugin_source(const Run& run, const config::PluginSource& source,
                                                    const std::string& path, const Folders& folders) {
  const auto loaded =
      placed(run.spec, path + ".name", [&] { return plugin::load_source(source.name, "", folders); });
  const Params params = params_of(source.params, loaded, path);
  const SameRandomNumbers same_random_numbers(run.device);
  torch::manual_seed(static_cast<uint64_t>(run.spec.seed));
  return std::make_unique<sources::PlainSource>(plugin::create(loaded, params));
}

}  // namespace lightrun::engine
