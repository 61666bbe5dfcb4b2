#include "commands.hpp"
#include "config/dump.hpp"
#include "config/resolve.hpp"
#include "engine_library.hpp"

#include <lightrun/error.hpp>

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

namespace lightrun::app {
namespace {

struct TrainOptions {
  std::vector<std::string> plugin_dirs;
  std::optional<std::string> trace;
  bool quiet = false;
  bool verbose = false;
};

const std::vector<std::string> kOwnFlags = {"--plugin-dir", "--trace", "--quiet", "--verbose", "--help"};

/// Config files are the words that are neither a flag nor a flag's value; CLI11 leaves both to us, in order.
struct Words {
  std::vector<std::string> files;
  std::vector<std::string> flags;
};

Words split(const std::vector<std::string>& words) {
  Words result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("-")) {
      result.files.push_back(words[i]);
      continue;
    }
    result.flags.push_back(words[i]);
    const bool has_value_of_its_own = words[i].find('=') != std::string::npos;
    if (!has_value_of_its_own && i + 1 < words.size()) result.flags.push_back(words[++i]);
  }
  return result;
}

int run_train(const TrainOptions& options, const std::vector<std::string>& words) {
  if (words.empty())
    throw UsageError("lightrun train: no config; for example: lightrun train configs/digits.yaml");
  const auto [files, flags] = split(words);
  config::Resolved resolved = config::resolve(files, flags, kOwnFlags);
  for (const auto& warning : resolved.warnings) std::cerr << "warning: " << warning << '\n';
  std::string text = config::dump(resolved.spec);
  return train({.spec = std::move(resolved.spec),
                .resolved_config = std::move(text),
                .plugin_dirs = options.plugin_dirs,
                .trace = options.trace,
                .quiet = options.quiet,
                .verbose = options.verbose});
}

}  // namespace

void add_train(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<TrainOptions>();
  CLI::App* command = app.add_subcommand(
      "train",
      "Train a model as config files and flags say: lightrun train CONFIG.yaml... [--setting value]...");
  command->add_option("--plugin-dir", options->plugin_dirs, "Look for plugins here first (repeatable)")
      ->allow_extra_args(false);
  command->add_option("--trace", options->trace,
                      "Write every hook call to this file, one JSON object a line");
  command->add_flag("-q,--quiet", options->quiet, "Print only warnings and errors");
  command->add_flag("-v,--verbose", options->verbose, "Print the log's details to stderr too");
  command->allow_extras();
  command->prefix_command(false);
  command->footer(
      "Every setting of the config is a flag of the same name: --trainer.max_epochs 3, or --max_epochs=3\n"
      "where the last part is unique; --callbacks.0.monitor val_acc; --callbacks+ '{type: ...}' appends.\n"
      "\n"
      "Exit codes: 0 done, 2 command line, 3 config, 4 plugin, 5 error while running, 6 stopped by\n"
      "terminate_on_nan, 128+n stopped by signal n.\n"
      "\n"
      "  lightrun train configs/digits.yaml\n"
      "  lightrun train configs/digits.yaml --max_epochs 2 --trainer.gradient_clip_val=0.5");
  command->final_callback(
      [options, command, &exit_code] { exit_code = run_train(*options, command->remaining()); });
}

}  // namespace lightrun::app
