#pragma once

#include <functional>
#include <optional>
#include <string>

namespace lightrun::support {

/// Looks up an environment variable.
using Environment = std::function<std::optional<std::string>(const char* name)>;

/// The process's own environment.
[[nodiscard]] std::optional<std::string> process_environment(const char* name);

/// What can be done with a stream that text is written to.
struct Terminal {
  bool interactive = false;  ///< a terminal that can redraw a line
  bool color = false;        ///< colours are welcome
};

/// `interactive`: `fd` is a terminal and TERM is not empty or "dumb".
/// `color`, the first that applies: NO_COLOR is set and not empty: no; CLICOLOR_FORCE, then FORCE_COLOR, is
/// set and not empty or "0": yes; else as `interactive`.
[[nodiscard]] Terminal look_at_terminal(int fd, const Environment& environment = process_environment);

/// Columns and rows of the terminal, asked anew each time (it may be resized); else COLUMNS and LINES, else
/// 80, 24.
[[nodiscard]] int terminal_width(int fd, const Environment& environment = process_environment);
[[nodiscard]] int terminal_height(int fd, const Environment& environment = process_environment);

}  // namespace lightrun::support
