#include "config/reference.hpp"
#include "commands.hpp"
#include "help.hpp"

#include <CLI/CLI.hpp>

#include <iostream>

namespace lightrun::app {

void add_reference(CLI::App& app) {
  CLI::App* command = app.add_subcommand("reference", "Print all settings and commands (Markdown)");
  end_help(*command,
           "Every setting with its type, range, default and meaning; old names; exit codes; every command "
           "with its options.",
           {"lightrun reference | less", "lightrun reference | grep clip"});
  command->final_callback([&app] { std::cout << config::reference() << '\n' << commands_reference(app); });
}

}  // namespace lightrun::app
