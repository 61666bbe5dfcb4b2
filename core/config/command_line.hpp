#pragma once

#include "config/flags.hpp"

#include <string>
#include <vector>

namespace lightrun::config {

/// The words after `lightrun train` that are not the program's own options.
struct CommandLine {
  std::vector<std::string> files;       ///< words that are neither a flag nor a flag's value
  std::vector<Flag> flags;              ///< in their order
  std::vector<std::string> unexpected;  ///< "-x"
};

/// Splits `a.yaml --name value --name=value`. A flag takes the next word as its value, unless that is a flag
/// itself. One whose setting takes true or false may stand alone, which is `true`: it takes the next word
/// only if that is a value of the setting, or cannot be a config file (no `.` or `/` in it).
[[nodiscard]] CommandLine read_command_line(const std::vector<std::string>& words);

}  // namespace lightrun::config
