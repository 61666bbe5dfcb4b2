#include "plugin/choice.hpp"

#include "plugin/catalog.hpp"
#include "plugin/kinds.hpp"
#include "support/text.hpp"

#include <lightrun/error.hpp>

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

namespace lightrun::plugin {
namespace {

using Names = std::vector<std::string>;

/// A setting says which of several is meant; of a model it is model.name.
std::string say_which(PluginKind kind) {
  return kind == PluginKind::model ? "say which in model.name" : "say which by its name";
}

Choice choose_from_file(PluginKind kind, const std::string& path, const std::string& name) {
  PluginFile file = read_plugin_file(path);
  if (file.refused) throw PluginError(file.refusal());
  const KindWords words = words_of(kind);
  const Names names = file.names(kind);
  if (names.empty()) throw PluginError(fmt::format("{}: a plugin, but it has no {}", path, words.one));
  if (name.empty() && names.size() > 1) {
    throw PluginError(fmt::format("{}: it has several {}; {}: {}", path, words.many, say_which(kind),
                                  support::join(names)));
  }
  const Offer* offer = file.find(kind, name.empty() ? names.front() : name);
  if (offer == nullptr) {
    throw PluginError(fmt::format("{}: it has no {} called '{}'; {}: {}", path, words.one, name,
                                  say_which(kind), support::join(names)));
  }
  Offer chosen = *offer;
  return {.file = std::move(file), .offer = std::move(chosen)};
}

/// What a user may have had in mind when typing the name of a refused plugin: what it offers, its file's
/// name.
bool resembles(PluginKind kind, const PluginFile& file, const std::string& name) {
  Names names = file.names(kind);
  names.push_back(std::filesystem::path(file.path).stem().string());
  return std::ranges::find(names, name) != names.end() || support::did_you_mean(name, names);
}

/// Whether ./<name> is a folder as `lightrun new` writes it, that may not have been built.
bool has_sources(const std::string& name) {
  std::error_code error;
  const auto folder = std::filesystem::path(name);
  return !name.empty() && std::filesystem::exists(folder / (name + ".cpp"), error);
}

std::string unknown_name(PluginKind kind, const std::string& name, const Catalog& catalog,
                         const Names& folders) {
  std::set<std::string> sorted;
  for (const FoundOffer& each : catalog.offers) {
    if (each.offer.kind == kind) sorted.insert(each.offer.name);
  }
  const Names names(sorted.begin(), sorted.end());

  std::string text = fmt::format("no plugin has a {} called '{}'", words_of(kind).one, name);
  if (const auto near = support::did_you_mean(name, names)) text += " (did you mean " + *near + "?)";
  text += names.empty() ? "; there are none" : "; there are " + support::join(names);
  text += "; looked in " + support::join(folders);
  for (const PluginFile& file : catalog.refused) {
    if (resembles(kind, file, name)) text += "; refused " + file.refusal();
  }
  if (kind == PluginKind::model && has_sources(name)) {
    text += fmt::format("; ./{0} has its sources: lightrun build {0}", name);
    return text;
  }
  if (names.empty()) text += "; build one there, or name its folder with --plugin-dir";
  if (names.empty() && kind == PluginKind::model) text += ", or give the path of its .so";
  return text;
}

Choice choose_by_name(PluginKind kind, const std::string& name, const Names& folders) {
  const Catalog catalog = find_plugins(folders);
  Names paths;
  for (const FoundOffer& each : catalog.offers) {
    if (each.offer.kind == kind && each.offer.name == name) paths.push_back(each.path);
  }
  if (paths.size() > 1) {
    throw PluginError(
        fmt::format("two plugins with one name: '{}' is in {}; {}", name, support::join(paths, " and in "),
                    kind == PluginKind::model ? "give the path of the one that is meant as model.plugin"
                                              : "take one of them out of these folders"));
  }
  if (paths.size() == 1) return choose_from_file(kind, paths.front(), name);
  for (const PluginFile& file : catalog.refused) {
    if (file.find(kind, name)) throw PluginError(file.refusal());
  }
  throw PluginError(unknown_name(kind, name, catalog, folders));
}

}  // namespace

bool is_library_path(const std::string& plugin) {
  return plugin.find('/') != std::string::npos || plugin.ends_with(".so");
}

Choice choose(PluginKind kind, const std::string& plugin, const std::string& name, const Names& folders) {
  if (is_library_path(plugin)) return choose_from_file(kind, plugin, name);
  if (!name.empty() && name != plugin) {
    throw PluginError("model.plugin names the model '" + plugin + "', model.name another, '" + name +
                      "'; leave model.name out, or give the path of an .so as model.plugin");
  }
  return choose_by_name(kind, plugin, folders);
}

}  // namespace lightrun::plugin
