#include "commands.hpp"
#include "engine/plugin_commands.hpp"
#include "engine_command.hpp"
#include "help.hpp"
#include "run_options.hpp"

namespace lightrun::app {

void add_plugins(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<engine::PluginsRequest>();
  CLI::App* command =
      app.add_subcommand("plugins", "List the models, sources of data and callbacks that plugins offer");
  command->add_option("NAME", request->name, "Only what is called so");
  add_plugin_dirs(*command, request->plugin_dirs);
  end_help(*command, "",
           {"lightrun plugins", "lightrun plugins digits", "lightrun plugins --plugin-dir my_models"});
  answer_with<engine::PluginsFunction>(*command, engine::kPluginsSymbol, request, exit_code);
}

void add_schema(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<engine::PluginsRequest>();
  CLI::App* command = app.add_subcommand("schema", "Print a JSON Schema of configs, for editors");
  add_plugin_dirs(*command, request->plugin_dirs);
  end_help(
      *command,
      "A config that begins with \"# yaml-language-server: $schema=lightrun.schema.json\" is completed and "
      "checked by editors, with the parameters of all that plugins offer.",
      {"lightrun schema > lightrun.schema.json",
       "lightrun schema --plugin-dir my_models > lightrun.schema.json"});
  answer_with<engine::PluginsFunction>(*command, engine::kSchemaSymbol, request, exit_code);
}

}  // namespace lightrun::app
