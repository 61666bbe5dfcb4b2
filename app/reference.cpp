#include "config/reference.hpp"
#include "commands.hpp"

#include <CLI/CLI.hpp>

#include <iostream>

namespace lightrun::app {

void add_reference(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "reference", "Print every setting with its type, range, default and meaning (Markdown)");
  command->final_callback([] { std::cout << config::reference(); });
}

}  // namespace lightrun::app
