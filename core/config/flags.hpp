#pragma once

#include "config/field.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lightrun::config {

/// How a flag begins.
inline constexpr std::string_view kDashes = "--";

/// The flags of a command that are no settings, for messages about unknown ones.
struct OwnFlags {
  std::string command = {};             ///< "lightrun train"; "": none is named
  std::vector<std::string> flags = {};  ///< "--quiet"
};

/// "lightrun train: there is no option --max_epoch (did you mean --max_epochs?); see lightrun train --help".
/// @param hint what is meant, in brackets after a space, or ""
[[nodiscard]] std::string no_such_option(const OwnFlags& own, const std::string& typed,
                                         const std::string& hint);

/// One `--trainer.max_epochs 3` of the command line.
struct Flag {
  std::string typed;                 ///< "--trainer.max-epochs", "--callbacks+": what messages show
  std::vector<std::string> path;     ///< trainer, max_epochs
  bool append = false;               ///< --callbacks+
  std::optional<std::string> value;  ///< YAML; nothing: none was given
  std::string old_name = {};         ///< where `path` is the new name of it: "max_nb_epochs"
};

/// `--name`, `--name=value` or `--name+` of the command line; in names `-` is `_`.
[[nodiscard]] Flag flag_of(const std::string& word);

/// The settings that a flag's path names: of a block, one for each type that has it; none where it is unknown
/// or names several. They live in `schema`.
[[nodiscard]] std::vector<const Field*> settings_at(const std::vector<std::string>& path,
                                                    const Block& schema);

/// Whether the flag names a setting; if it does, `flag.path` becomes the setting's full path (`--max_epochs`
/// is trainer.max_epochs where no other setting is called so). If it does not, or names several, that is a
/// problem. `own`: more names to suggest.
[[nodiscard]] bool find_setting(Flag& flag, const Block& schema, const OwnFlags& own, Findings& findings);

/// 7 of "7"; nothing where it is not a place in a list.
[[nodiscard]] std::optional<std::size_t> list_index(std::string_view text);

}  // namespace lightrun::config
