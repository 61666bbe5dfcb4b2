#include "declarations.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace lightrun::app {

std::vector<const CLI::App*> shown_commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); });
}

std::string full_name(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  return parent == nullptr ? command.get_name() : full_name(*parent) + ' ' + command.get_name();
}

std::vector<const CLI::Option*> options_of(const CLI::App& command) {
  auto options = command.get_options([](const CLI::Option*) { return true; });
  const auto place = [&](const CLI::Option* each) {
    return each == command.get_help_ptr() ? 2 : each->get_positional() ? 0 : 1;
  };
  std::ranges::stable_sort(options, {}, place);
  return options;
}

bool takes_value(const CLI::Option& option) {
  return !option.get_type_name().empty();
}

std::string name_of(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(/*positional=*/true, /*all_options=*/false);
  std::string name;
  for (const std::string& each : option.get_snames()) name += (name.empty() ? "-" : ", -") + each;
  for (const std::string& each : option.get_lnames()) name += (name.empty() ? "--" : ", --") + each;
  return takes_value(option) ? name + ' ' + option.get_type_name() : name;
}

std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : options_of(command))
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  return flags;
}

std::string usage_of(const CLI::App& command) {
  std::string usage = full_name(command);
  if (!shown_commands(command).empty()) return usage + " COMMAND [--help], or " + usage + " --version";
  // A command that takes extra words takes configs.
  if (command.get_allow_extras()) usage += " CONFIG... [--setting value]...";
  bool has_more = false;
  for (const CLI::Option* option : options_of(command)) {
    const bool may_repeat = option->get_positional() && option->get_items_expected_max() > 1;
    const std::string name = name_of(*option) + (may_repeat ? "..." : "");
    if (option->get_required())
      usage += ' ' + name;
    else if (option->get_positional())
      usage += " [" + name + ']';
    else
      has_more = has_more || option != command.get_help_ptr();
  }
  return has_more ? usage + " [options]" : usage;
}

}  // namespace lightrun::app
