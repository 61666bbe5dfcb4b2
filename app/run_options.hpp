#pragma once

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
  bool new_run = false;
  bool overwrite = false;
  bool quiet = false;
  bool verbose = false;
  bool print = false;  ///< of `check`
  bool hooks = false;  ///< of `plan`
};

/// A subcommand that takes config files and settings.
CLI::App* add_run_command(CLI::App& app, const std::string& name, const std::string& help,
                          const std::shared_ptr<RunOptions>& options);

/// The files and settings a command was given. Throws UsageError where there are none.
[[nodiscard]] std::vector<std::string> config_words(const CLI::App& command);

/// Flags that are no settings, to suggest for a misspelt one.
[[nodiscard]] const std::vector<std::string>& own_flags();

/// What the engine is asked for. Prints the config's warnings.
[[nodiscard]] engine::RunRequest run_request(config::Resolved resolved, const RunOptions& options,
                                             const CLI::App& command);

}  // namespace lightrun::app
