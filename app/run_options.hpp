#pragma once

#include "config/flags.hpp"
#include "engine/entry.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}
namespace lightrun::config {
struct Resolved;
}

namespace lightrun::app {

/// What the command line of a command that takes configs says beside files and settings.
struct RunOptions {
  std::vector<std::string> plugin_dirs;
  std::optional<std::string> trace;
  std::optional<std::string> checkpoint;
  std::optional<std::string> resume;
  std::optional<std::string> weights_only;
  std::string strip_prefix;
  std::string out;    ///< of `predict`
  std::string field;  ///< of `predict`
  bool new_run = false;
  bool overwrite = false;
  bool quiet = false;
  bool verbose = false;
  bool print = false;  ///< of `check`
  bool hooks = false;  ///< of `plan`
};

/// A subcommand that takes config files and settings. The functions below add options that not all of them
/// have.
CLI::App* add_run_command(CLI::App& app, const std::string& name, const std::string& help,
                          const std::shared_ptr<RunOptions>& options);
void add_quiet(CLI::App& command, RunOptions& options);
void add_trace(CLI::App& command, RunOptions& options);
void add_strip_prefix(CLI::App& command, RunOptions& options);

/// `--plugin-dir`.
void add_plugin_dirs(CLI::App& command, std::vector<std::string>& folders);

/// The files and settings a command was given. Throws UsageError where there are none.
[[nodiscard]] std::vector<std::string> config_words(const CLI::App& command);

/// The command's flags that are no settings.
[[nodiscard]] config::OwnFlags own_flags(const CLI::App& command);

/// What the engine is asked for. Prints the config's warnings.
[[nodiscard]] engine::RunRequest run_request(config::Resolved resolved, const RunOptions& options,
                                             const CLI::App& command);

}  // namespace lightrun::app
