#include "commands.hpp"
#include "config/dump.hpp"
#include "config/resolve.hpp"
#include "engine/check_command.hpp"
#include "engine_library.hpp"
#include "help.hpp"
#include "run_options.hpp"

#include <CLI/CLI.hpp>

#include <iostream>
#include <utility>

namespace lightrun::app {

void add_check(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* command =
      add_run_command(app, "check", "Find everything that is wrong with a run before it runs", options);
  add_quiet(*command, *options);
  command->add_flag("--print", options->print, "Print the resolved config");
  end_help(
      *command,
      "It reads the configs, loads the plugin, builds model and data, and tries one batch of each kind. "
      "Nothing is written.",
      {"lightrun check configs/digits.yaml", "lightrun check configs/digits.yaml --optimizer.lr 0.1 --print",
       "lightrun check --quiet configs/digits.yaml && echo right"});
  command->final_callback([options, command, &exit_code] {
    config::Resolved resolved = config::examine(config_words(*command), own_flags(*command));
    engine::CheckRequest request;
    request.problems = std::move(resolved.problems);
    request.files = std::move(resolved.files);
    request.run = run_request(std::move(resolved), *options, *command);
    if (options->print) std::cout << request.run.resolved_config << std::flush;
    exit_code = call_engine<engine::CheckFunction>(engine::kCheckSymbol, request);
  });
}

}  // namespace lightrun::app
