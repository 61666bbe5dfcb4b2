#include "commands.hpp"
#include "engine/plugin_commands.hpp"
#include "engine_library.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace lightrun::app {
namespace {

void add_plugin_dirs(CLI::App& command, engine::PluginsRequest& request) {
  command.add_option("--plugin-dir", request.plugin_dirs, "Look for plugins here first (repeatable)")
      ->allow_extra_args(false);
}

}  // namespace

void add_plugins(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<engine::PluginsRequest>();
  CLI::App* command =
      app.add_subcommand("plugins", "List the models that plugins offer, and their parameters");
  command->add_option("model", request->name, "Only this one");
  add_plugin_dirs(*command, *request);
  command->footer("  lightrun plugins\n  lightrun plugins digits_mlp");
  command->final_callback([request, &exit_code] {
    exit_code = call_engine<engine::PluginsFunction>(engine::kPluginsSymbol, *request);
  });
}

void add_schema(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<engine::PluginsRequest>();
  CLI::App* command = app.add_subcommand("schema", "Print a JSON Schema of configs, for editors");
  add_plugin_dirs(*command, *request);
  command->footer(
      "  lightrun schema > lightrun.schema.json\n"
      "\n"
      "and as the first line of a config:\n"
      "  # yaml-language-server: $schema=lightrun.schema.json");
  command->final_callback([request, &exit_code] {
    exit_code = call_engine<engine::PluginsFunction>(engine::kSchemaSymbol, *request);
  });
}

}  // namespace lightrun::app
