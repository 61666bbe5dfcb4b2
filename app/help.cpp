#include "help.hpp"

#include "declarations.hpp"
#include "support/text.hpp"

#include <spdlog/fmt/fmt.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <sstream>
#include <string_view>
#include <utility>

namespace lightrun::app {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kWidestName = 22;  // a longer one has a line of its own
constexpr std::string_view kExamples = "Examples:\n";

using Rows = std::vector<std::pair<std::string, std::string>>;

/// A heading, and two columns beneath it.
std::string section(const std::string& heading, const Rows& rows) {
  if (rows.empty()) return "";
  std::size_t width = 0;
  for (const auto& [name, meaning] : rows)
    if (name.size() <= kWidestName) width = std::max(width, name.size());
  std::string text = fmt::format("\n{}:\n", heading);
  for (const auto& [name, meaning] : rows) {
    std::string left = name;
    if (left.size() > width) text += fmt::format("  {}\n", std::exchange(left, ""));
    for (const std::string& line : support::wrapped(meaning, kColumns - width - 4))
      text += fmt::format("  {:{}}  {}\n", std::exchange(left, ""), width, line);
  }
  return text;
}

/// A value, which is in capitals, stays on the line of its option.
std::string usage_text(std::string usage) {
  constexpr char kGlue = '\x1f';
  for (std::size_t i = 1; i < usage.size(); ++i)
    if (usage[i - 1] == ' ' && std::isupper(static_cast<unsigned char>(usage[i])) != 0) usage[i - 1] = kGlue;
  std::string_view left = "Usage:";
  std::string text;
  for (std::string& line : support::wrapped(usage, kColumns - left.size() - 1)) {
    std::ranges::replace(line, kGlue, ' ');
    text += fmt::format("{:6} {}\n", std::exchange(left, ""), line);
  }
  return text;
}

Rows option_rows(const CLI::App& command, bool positional) {
  Rows rows;
  for (const CLI::Option* option : options_of(command))
    if (option->get_positional() == positional)
      rows.emplace_back(name_of(*option), option->get_description());
  return rows;
}

Rows command_rows(const CLI::App& app) {
  Rows rows;
  for (const CLI::App* command : shown_commands(app))
    rows.emplace_back(command->get_name(), command->get_description());
  return rows;
}

std::string table_of(const CLI::App& command) {
  std::string text = "\n| option | meaning |\n|---|---|\n";
  for (const CLI::Option* option : options_of(command))
    text += fmt::format("| `{}` | {} |\n", name_of(*option), option->get_description());
  return text;
}

/// The notes as they are, the examples as a block of code.
std::string footer_as_markdown(const std::string& footer) {
  const auto at = footer.find(kExamples);
  std::string text = '\n' + footer.substr(0, at);
  if (at == std::string::npos) return text + '\n';
  std::istringstream examples(footer.substr(at + kExamples.size()));
  for (std::string line; std::getline(examples, line);) text += fmt::format("  {}\n", line);
  return text;
}

}  // namespace

std::string help_text(const CLI::App& command) {
  std::string text = fmt::format("{}.\n\n", command.get_description());
  text += usage_text(usage_of(command));
  text += section("Commands", command_rows(command));
  text += section("Arguments", option_rows(command, /*positional=*/true));
  // Those of lightrun itself are in the usage.
  if (shown_commands(command).empty()) text += section("Options", option_rows(command, /*positional=*/false));
  return command.get_footer().empty() ? text : fmt::format("{}\n{}\n", text, command.get_footer());
}

std::string commands_reference(const CLI::App& app) {
  std::string text = "## Commands\n";
  for (const CLI::App* command : shown_commands(app)) {
    text += fmt::format("\n### {}\n\n{}.\n\n    {}\n", full_name(*command), command->get_description(),
                        usage_of(*command));
    text += table_of(*command) + footer_as_markdown(command->get_footer());
  }
  return text;
}

void end_help(CLI::App& command, const std::string& notes, const std::vector<std::string>& examples) {
  std::string footer = support::join(support::wrapped(notes, kColumns), "\n");
  if (!examples.empty()) footer += (footer.empty() ? "" : "\n\n") + std::string(kExamples);
  footer += examples.empty() ? "" : "  " + support::join(examples, "\n  ");
  command.footer(footer);
}

}  // namespace lightrun::app
