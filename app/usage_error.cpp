#include "usage_error.hpp"

#include "config/flags.hpp"
#include "declarations.hpp"
#include "support/text.hpp"

#include <lightrun/error.hpp>

#include <spdlog/fmt/fmt.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <string_view>
#include <vector>

namespace lightrun::app {
namespace {

/// " (did you mean --out?)", or nothing.
std::string near_to(const std::string& word, const std::vector<std::string>& known) {
  const auto meant = support::did_you_mean(word, known);
  return meant ? fmt::format(" (did you mean {}?)", *meant) : "";
}

std::string about_extras(const CLI::App& command) {
  const auto extras = command.remaining();
  const auto flag = std::ranges::find_if(extras, [](const auto& word) { return word.starts_with("-"); });
  if (flag == extras.end()) return fmt::format("'{}' is a word too many", extras.empty() ? "" : extras[0]);
  const std::string name = flag->substr(0, flag->find('='));
  return config::no_such_option({}, name, near_to(name, flags_of(command)));
}

std::string about_missing(const CLI::App& command) {
  std::vector<std::string> missing;
  for (const CLI::Option* option : options_of(command))
    if (option->get_required() && option->count() == 0) missing.push_back(name_of(*option));
  return fmt::format("{} {} missing", support::join(missing, " and "), missing.size() > 1 ? "are" : "is");
}

/// CLI11's text begins with the option it is about.
std::string about_value(const CLI::App& command, const std::string& text) {
  for (const CLI::Option* option : options_of(command)) {
    if (!text.starts_with(option->get_name() + ':')) continue;
    return takes_value(*option) ? fmt::format("{}: its value is missing", name_of(*option))
                                : fmt::format("{} takes no value", option->get_name());
  }
  return text;
}

}  // namespace

void check_command(const CLI::App& app, const std::string& word) {
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  if (word.starts_with("-") || std::ranges::find(commands, word, &CLI::App::get_name) != commands.end())
    return;
  std::vector<std::string> names;
  for (const CLI::App* command : shown_commands(app)) names.push_back(command->get_name());
  throw UsageError(
      fmt::format("lightrun: there is no command '{}'{}; see lightrun --help", word, near_to(word, names)));
}

std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const auto given = app.get_subcommands();
  const CLI::App& command = given.empty() ? app : *given.front();
  std::string what;
  const bool has_extras = given.empty() && !app.remaining().empty();
  if (has_extras || dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
    what = about_extras(command);
  else if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr)
    what = given.empty() ? "a command is missing" : about_missing(command);
  else
    what = about_value(command, error.what());
  return fmt::format("{0}: {1}; see {0} --help", full_name(command), what);
}

}  // namespace lightrun::app
