#pragma once

#include "config/field.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lightrun::config {

/// One `--trainer.max_epochs 3` of the command line.
struct Flag {
  std::string typed;                 ///< "--trainer.max-epochs", "--callbacks+": what messages show
  std::vector<std::string> path;     ///< trainer, max_epochs
  bool append = false;               ///< --callbacks+
  std::optional<std::string> value;  ///< YAML; nothing: none was given
};

/// Splits `--name value` and `--name=value`; in names `-` is `_`. A stray word or a missing value is a
/// problem.
[[nodiscard]] std::vector<Flag> split_flags(const std::vector<std::string>& tokens, Findings& findings);

/// Whether the flag names a setting; if it does, `flag.path` becomes the setting's full path (`--max_epochs`
/// is trainer.max_epochs where no other setting is called so). If it does not, or names several, that is a
/// problem. `other_flags`: more names ("--quiet") to suggest.
[[nodiscard]] bool find_setting(Flag& flag, const Block& schema, const std::vector<std::string>& other_flags,
                                Findings& findings);

/// 7 of "7"; nothing where it is not a place in a list.
[[nodiscard]] std::optional<std::size_t> list_index(std::string_view text);

}  // namespace lightrun::config
