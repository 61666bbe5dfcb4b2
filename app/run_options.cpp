#include "run_options.hpp"

#include "config/dump.hpp"
#include "config/resolve.hpp"
#include "declarations.hpp"

#include <lightrun/error.hpp>

#include <CLI/CLI.hpp>

#include <iostream>
#include <utility>

namespace lightrun::app {

void add_plugin_dirs(CLI::App& command, std::vector<std::string>& folders) {
  command.add_option("--plugin-dir", folders, "Look for plugins here first; may be repeated")
      ->allow_extra_args(false)
      ->type_name("DIR");
}

void add_quiet(CLI::App& command, RunOptions& options) {
  command.add_flag("-q,--quiet", options.quiet, "Print only results, warnings and errors");
}

void add_trace(CLI::App& command, RunOptions& options) {
  command.add_option("--trace", options.trace, "Write every hook call to FILE, a JSON object a line")
      ->type_name("FILE");
}

void add_strip_prefix(CLI::App& command, RunOptions& options) {
  command
      .add_option("--strip-prefix", options.strip_prefix, "Leave TEXT out where names in that file begin so")
      ->type_name("TEXT");
}

CLI::App* add_run_command(CLI::App& app, const std::string& name, const std::string& help,
                          const std::shared_ptr<RunOptions>& options) {
  CLI::App* command = app.add_subcommand(name, help);
  add_plugin_dirs(*command, options->plugin_dirs);
  command->add_flag("-v,--verbose", options->verbose, "Print the log's details to stderr too");
  command->allow_extras();
  command->prefix_command(false);
  return command;
}

std::vector<std::string> config_words(const CLI::App& command) {
  std::vector<std::string> words = command.remaining();
  if (words.empty()) {
    throw UsageError(full_name(command) + ": no config; for example: " + full_name(command) +
                     " configs/digits.yaml");
  }
  return words;
}

config::OwnFlags own_flags(const CLI::App& command) {
  return {.command = full_name(command), .flags = flags_of(command)};
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
          .out = options.out,
          .field = options.field,
          .resume = options.resume,
          .weights_only = options.weights_only,
          .strip_prefix = options.strip_prefix,
          .new_run = options.new_run,
          .overwrite = options.overwrite,
          .quiet = options.quiet,
          .verbose = options.verbose};
}

}  // namespace lightrun::app
