#pragma once

#include "config/flags.hpp"
#include "config/run_spec.hpp"
#include "config/value.hpp"

#include <string>
#include <vector>

namespace lightrun::config {

struct Resolved {
  RunSpec spec;
  std::vector<std::string> warnings;  ///< with their places, for the user to read
  std::vector<Problem> problems;      ///< of examine(); settings that have one keep their defaults
  std::vector<std::string> files;     ///< in the order of the command line
};

/// Defaults, then `files` from left to right, then `flags` (see overrides.hpp). Throws ConfigError, or
/// UsageError if anything is wrong with a flag, with one line for each thing that is wrong: "file:line:col:
/// trainer.max_epoch: unknown key (did you mean max_epochs?)". `own` is for messages
/// about flags that are unknown.
[[nodiscard]] Resolved resolve(const std::vector<std::string>& files, const std::vector<std::string>& flags,
                               const OwnFlags& own = {});

/// The same of what the command line has left after the program's own options: files and flags in any order
/// (see command_line.hpp).
[[nodiscard]] Resolved resolve_words(const std::vector<std::string>& words, const OwnFlags& own = {});

/// The same, but what is wrong is in the answer, and only what cannot be read at all is thrown: for who looks
/// for more that may be wrong.
[[nodiscard]] Resolved examine(const std::vector<std::string>& words, const OwnFlags& own = {});

}  // namespace lightrun::config
