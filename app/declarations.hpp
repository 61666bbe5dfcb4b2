#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

// What the command line was declared to be, for help, the reference, completion and error messages.
namespace lightrun::app {

/// The commands that users know, in their order.
[[nodiscard]] std::vector<const CLI::App*> shown_commands(const CLI::App& app);

/// "lightrun train".
[[nodiscard]] std::string full_name(const CLI::App& command);

/// A command's arguments, then its options, `--help` last.
[[nodiscard]] std::vector<const CLI::Option*> options_of(const CLI::App& command);

/// It is no switch. Every option that does has the name of its value as CLI11's type name.
[[nodiscard]] bool takes_value(const CLI::Option& option);

/// "-q, --quiet", "--trace FILE", "RUN".
[[nodiscard]] std::string name_of(const CLI::Option& option);

/// "--quiet", "--trace": the command's flags, and those alone.
[[nodiscard]] std::vector<std::string> flags_of(const CLI::App& command);

/// "lightrun train CONFIG... [--setting value]... [options]".
[[nodiscard]] std::string usage_of(const CLI::App& command);

}  // namespace lightrun::app
