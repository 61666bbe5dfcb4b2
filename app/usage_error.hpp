#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace lightrun::app {

/// Throws UsageError where the first word after `lightrun` is no command.
void check_command(const CLI::App& app, const std::string& word);

/// What CLI11 has refused in our words: "lightrun inspect: FILE is missing; see lightrun inspect --help".
[[nodiscard]] std::string usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace lightrun::app
