#include "plugin/choice.hpp"

#include "plugin/catalog.hpp"
#include "support/text.hpp"

#include <lightrun/error.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

namespace lightrun::plugin {
namespace {

using Names = std::vector<std::string>;

Names names_of(const std::vector<ModelNote>& models) {
  Names names;
  for (const ModelNote& model : models) names.push_back(model.name);
  return names;
}

std::optional<ModelNote> find(const PluginFile& file, const std::string& name) {
  const auto found = std::find_if(file.models.begin(), file.models.end(),
                                  [&](const ModelNote& model) { return model.name == name; });
  return found == file.models.end() ? std::nullopt : std::optional(*found);
}

Choice choose_from_file(const std::string& path, const std::string& model_name) {
  PluginFile file = read_plugin_file(path);
  if (file.refused) throw PluginError(file.refusal());
  const std::string models = support::join(names_of(file.models));
  if (model_name.empty()) {
    if (file.models.size() > 1)
      throw PluginError(path + ": it has several models; say which in model.name: " + models);
    ModelNote only = file.models.front();
    return {.file = std::move(file), .model = std::move(only)};
  }
  if (auto model = find(file, model_name)) return {.file = std::move(file), .model = *std::move(model)};
  throw PluginError(path + ": it has no model called '" + model_name +
                    "'; say in model.name which it is: " + models);
}

/// What a user may have had in mind when typing the name of a refused plugin: its models' names, its file's
/// name.
bool resembles(const PluginFile& file, const std::string& name) {
  Names names = names_of(file.models);
  names.push_back(std::filesystem::path(file.path).stem().string());
  return std::find(names.begin(), names.end(), name) != names.end() || support::did_you_mean(name, names);
}

std::string unknown_model(const std::string& name, const Catalog& catalog, const Names& folders) {
  std::set<std::string> sorted;
  for (const FoundModel& model : catalog.models) sorted.insert(model.name);
  const Names names(sorted.begin(), sorted.end());

  std::string text = "no plugin has a model called '" + name + "'";
  if (const auto near = support::did_you_mean(name, names)) text += " (did you mean " + *near + "?)";
  text += names.empty() ? "; there are none" : "; there are " + support::join(names);
  text += "; looked in " + support::join(folders);
  for (const PluginFile& file : catalog.refused) {
    if (resembles(file, name)) text += "; refused " + file.refusal();
  }
  if (names.empty())
    text += "; build one there, name its folder with --plugin-dir, or give the path of its .so";
  return text;
}

Choice choose_by_name(const std::string& name, const Names& folders) {
  const Catalog catalog = find_models(folders);
  Names paths;
  for (const FoundModel& model : catalog.models) {
    if (model.name == name) paths.push_back(model.path);
  }
  if (paths.size() > 1) {
    throw PluginError("two plugins with one name: '" + name + "' is in " + support::join(paths, " and in ") +
                      "; give the path of the one that is meant as model.plugin");
  }
  if (paths.size() == 1) return choose_from_file(paths.front(), name);
  for (const PluginFile& file : catalog.refused) {
    if (find(file, name)) throw PluginError(file.refusal());
  }
  throw PluginError(unknown_model(name, catalog, folders));
}

bool is_path(const std::string& plugin) {
  return plugin.find('/') != std::string::npos || plugin.ends_with(".so");
}

}  // namespace

Choice choose_model(const std::string& plugin, const std::string& model_name, const Names& folders) {
  if (is_path(plugin)) return choose_from_file(plugin, model_name);
  if (!model_name.empty() && model_name != plugin) {
    throw PluginError("model.plugin names the model '" + plugin + "', model.name another, '" + model_name +
                      "'; leave model.name out, or give the path of an .so as model.plugin");
  }
  return choose_by_name(plugin, folders);
}

}  // namespace lightrun::plugin
