#pragma once

#include <string>

namespace lightrun::config {

/// The page about everything that can be set (Markdown), as `lightrun reference` prints it and
/// configs/REFERENCE.md has it: it follows from the same declarations that read a config.
[[nodiscard]] std::string reference();

}  // namespace lightrun::config
