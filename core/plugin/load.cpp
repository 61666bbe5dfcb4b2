#include "plugin/load.hpp"

#include "plugin/choice.hpp"
#include "plugin/library.hpp"
#include "plugin/plugin_failure.hpp"
#include "support/quantity.hpp"
#include "support/text.hpp"

#include <lightrun/error.hpp>

#include <filesystem>
#include <set>

namespace lightrun::plugin {
namespace {

/// The model's entry. The note told which models there are before the code ran; both have to say the same.
const ModelEntry& matching_entry(const Choice& choice, const ModelEntry* first) {
  std::set<std::string> announced;
  for (const ModelNote& model : choice.file.models) announced.insert(model.name);
  std::set<std::string> registered;
  const ModelEntry* chosen = nullptr;
  for (const ModelEntry* entry = first; entry != nullptr; entry = entry->next) {
    registered.insert(entry->name);
    if (entry->name == choice.model.name) chosen = entry;
  }
  if (chosen == nullptr || announced != registered) {
    throw PluginError(choice.file.path + ": its note announces " +
                      support::counted(announced.size(), "model", "models") + ", its code registers " +
                      std::to_string(registered.size()) +
                      ", and they are not the same; use LIGHTRUN_MODEL alone, and rebuild it");
  }
  return *chosen;
}

}  // namespace

LoadedModel load_model(const std::string& plugin, const std::string& model_name,
                       const std::vector<std::string>& folders) {
  const Choice choice = choose_model(plugin, model_name, folders);
  const std::string& path = choice.file.path;
  // The file itself, not a link to it: $ORIGIN in the library and the data next to it then mean its own
  // folder. And dlopen takes a name without a slash for one to be searched.
  const std::filesystem::path real_path = std::filesystem::canonical(path);
  const ModelEntry& entry = matching_entry(choice, open_library(real_path.string()));
  LoadedModel model = {.name = choice.model.name,
                       .help = choice.model.help,
                       .path = path,
                       .directory = real_path.parent_path().string(),
                       .parameters = {},
                       .create = entry.create};
  try {
    model.parameters = entry.parameters();
  } catch (...) {
    throw_plugin_failure("plugin " + path + ": parameters() of model " + model.name + " failed");
  }
  return model;
}

std::shared_ptr<Module> create_model(const LoadedModel& model, const Params& params) {
  try {
    return model.create(params);
  } catch (...) {
    throw_plugin_failure("plugin " + model.path + ": constructor of model " + model.name + " failed");
  }
}

}  // namespace lightrun::plugin
