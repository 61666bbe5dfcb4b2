#pragma once

#include <string>

namespace lightrun::config {

/// The page about everything that can be set (Markdown): it follows from the same declarations that read a
/// config. `lightrun reference` prints it, and the commands after it; configs/REFERENCE.md is a copy.
[[nodiscard]] std::string reference();

/// What each exit code means, as a table of that page.
[[nodiscard]] std::string exit_code_table();

}  // namespace lightrun::config
