#include "plugin/load.hpp"

#include "plugin/choice.hpp"
#include "plugin/kinds.hpp"
#include "plugin/library.hpp"
#include "plugin/plugin_failure.hpp"
#include "support/quantity.hpp"

#include <lightrun/error.hpp>

#include <spdlog/fmt/fmt.h>

#include <filesystem>
#include <set>

namespace lightrun::plugin {
namespace {

/// The chosen one's entry. The notes told what there is before the code ran; both have to say the same.
template <typename Product>
const PluginEntry<Product>& matching_entry(const Choice& choice, const PluginEntry<Product>* first) {
  const std::vector<std::string> names = choice.file.names(choice.offer.kind);
  const std::set<std::string> announced(names.begin(), names.end());
  std::set<std::string> registered;
  const PluginEntry<Product>* chosen = nullptr;
  for (const PluginEntry<Product>* entry = first; entry != nullptr; entry = entry->next) {
    registered.insert(entry->name);
    if (entry->name == choice.offer.name) chosen = entry;
  }
  if (chosen == nullptr || announced != registered) {
    const KindWords words = words_of(choice.offer.kind);
    throw PluginError(fmt::format(
        "{}: its note announces {}, its code registers {}, and they are not the same; "
        "use {} alone, and rebuild it",
        choice.file.path, support::counted(static_cast<int64_t>(announced.size()), words.one, words.many),
        registered.size(), words.macro));
  }
  return *chosen;
}

template <typename Product>
Loaded<Product> load(PluginKind kind, const std::string& plugin, const std::string& name,
                     const std::vector<std::string>& folders) {
  const Choice choice = choose(kind, plugin, name, folders);
  const std::string& path = choice.file.path;
  // The file itself, not a link to it: $ORIGIN in the library and the data next to it then mean its own
  // folder. And dlopen takes a name without a slash for one to be searched.
  const std::filesystem::path real_path = std::filesystem::canonical(path);
  using List = const PluginEntry<Product>* (*)();
  const auto list = reinterpret_cast<List>(function_in(real_path.string(), words_of(kind).symbol));
  const PluginEntry<Product>& entry = matching_entry(choice, list());
  Loaded<Product> loaded = {.kind = kind,
                            .name = choice.offer.name,
                            .help = choice.offer.help,
                            .path = path,
                            .directory = real_path.parent_path().string(),
                            .parameters = {},
                            .make = entry.create};
  try {
    loaded.parameters = entry.parameters();
  } catch (...) {
    throw_plugin_failure(
        fmt::format("plugin {}: parameters() of {} {} failed", path, words_of(kind).one, loaded.name));
  }
  return loaded;
}

}  // namespace

LoadedModel load_model(const std::string& plugin, const std::string& name,
                       const std::vector<std::string>& folders) {
  return load<std::shared_ptr<Module>>(PluginKind::model, plugin, name, folders);
}

LoadedSource load_source(const std::string& plugin, const std::string& name,
                         const std::vector<std::string>& folders) {
  return load<DataLoader>(PluginKind::source, plugin, name, folders);
}

LoadedCallback load_callback(const std::string& plugin, const std::string& name,
                             const std::vector<std::string>& folders) {
  return load<std::unique_ptr<Callback>>(PluginKind::callback, plugin, name, folders);
}

template <typename Product>
Product create(const Loaded<Product>& loaded, const Params& params) {
  try {
    return loaded.make(params);
  } catch (...) {
    throw_plugin_failure(fmt::format("plugin {}: constructor of {} {} failed", loaded.path,
                                     words_of(loaded.kind).one, loaded.name));
  }
}

template std::shared_ptr<Module> create(const LoadedModel& loaded, const Params& params);
template DataLoader create(const LoadedSource& loaded, const Params& params);
template std::unique_ptr<Callback> create(const LoadedCallback& loaded, const Params& params);

}  // namespace lightrun::plugin
