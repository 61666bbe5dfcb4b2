#include "run_options.hpp"

#include "config/dump.hpp"
#include "config/resolve.hpp"

#include <lightrun/error.hpp>

#include <CLI/CLI.hpp>

#include <iostream>
#include <utility>

namespace lightrun::app {

CLI::App* add_run_command(CLI::App& app, const std::string& name, const std::string& help,
                          const std::shared_ptr<RunOptions>& options) {
  CLI::App* command = app.add_subcommand(name, help);
  command->add_option("--plugin-dir", options->plugin_dirs, "Look for plugins here first (repeatable)")
      ->allow_extra_args(false);
  command->add_option("--trace", options->trace,
                      "Write every hook call to this file, one JSON object a line");
  command->add_flag("-q,--quiet", options->quiet, "Print only results, warnings and errors");
  command->add_flag("-v,--verbose", options->verbose, "Print the log's details to stderr too");
  command->allow_extras();
  command->prefix_command(false);
  return command;
}

std::vector<std::string> config_words(const CLI::App& command) {
  std::vector<std::string> words = command.remaining();
  if (words.empty()) {
    throw UsageError("lightrun " + command.get_name() + ": no config; for example: lightrun " +
                     command.get_name() + " configs/digits.yaml");
  }
  return words;
}

const std::vector<std::string>& own_flags() {
  static const std::vector<std::string> flags = {"--plugin-dir",   "--trace",   "--checkpoint", "--resume",
                                                 "--weights-only", "--new-run", "--overwrite",  "--quiet",
                                                 "--verbose",      "--print",   "--hooks",      "--help"};
  return flags;
}

engine::RunRequest run_request(config::Resolved resolved, const RunOptions& options,
                               const CLI::App& command) {
  for (const auto& warning : resolved.warnings) std::cerr << "warning: " << warning << '\n';
  std::string text = config::dump(resolved.spec);
  std::vector<std::string> words = {command.get_name()};
  for (const std::string& word : command.remaining()) words.push_back(word);
  return {.spec = std::move(resolved.spec),
          .resolved_config = std::move(text),
          .plugin_dirs = options.plugin_dirs,
          .command = std::move(words),
          .trace = options.trace,
          .checkpoint = options.checkpoint,
          .resume = options.resume,
          .weights_only = options.weights_only,
          .new_run = options.new_run,
          .overwrite = options.overwrite,
          .quiet = options.quiet,
          .verbose = options.verbose};
}

}  // namespace lightrun::app
