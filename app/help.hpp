#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace lightrun::app {

/// What `--help` prints of `lightrun` or of one command: in at most 80 columns, from the declarations alone.
[[nodiscard]] std::string help_text(const CLI::App& command);

/// The same of every command, as a chapter of the reference (Markdown).
[[nodiscard]] std::string commands_reference(const CLI::App& app);

/// What stands below a command's options.
/// @param notes paragraphs; "" for none
/// @param examples command lines to copy
void end_help(CLI::App& command, const std::string& notes, const std::vector<std::string>& examples);

}  // namespace lightrun::app
