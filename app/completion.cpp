#include "config/completion.hpp"
#include "commands.hpp"
#include "declarations.hpp"
#include "help.hpp"
#include "support/text.hpp"

#include <lightrun/error.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>

namespace lightrun::app {
namespace {

// Each asks `lightrun complete`; where that has no answer, the shell offers files.
const std::map<std::string, const char*> kScripts = {
    {"bash", R"(# Put this into ~/.bashrc:  source <(lightrun completion bash)
_lightrun() {
  local IFS=$'\n'
  COMPREPLY=($(lightrun complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -o bashdefault -F _lightrun lightrun
)"},
    {"zsh", R"(# Put this into ~/.zshrc, after compinit:  source <(lightrun completion zsh)
_lightrun() {
  local -a found
  found=("${(@f)$(lightrun complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n ${found[1]} ]]; then compadd -a found; else _files; fi
}
compdef _lightrun lightrun
)"},
    {"fish", R"(# Put this into ~/.config/fish/config.fish:  lightrun completion fish | source
complete -c lightrun -a '(lightrun complete (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
)"}};

std::vector<std::string> shells() {
  std::vector<std::string> names;
  for (const auto& [name, script] : kScripts) names.push_back(name);
  return names;
}

std::vector<std::string> that_begin_with(const std::string& start, std::vector<std::string> words) {
  std::erase_if(words, [&](const std::string& each) { return !each.starts_with(start); });
  std::ranges::sort(words);
  return words;
}

std::vector<std::string> answers(const CLI::App& app, std::vector<std::string> words) {
  std::erase(words, "=");  // bash takes --name=value apart
  if (words.size() <= 1) {
    std::vector<std::string> names;
    for (const CLI::App* each : shown_commands(app)) names.push_back(each->get_name());
    return that_begin_with(words.empty() ? "" : words.front(), std::move(names));
  }
  const auto commands = shown_commands(app);
  const auto found = std::ranges::find(commands, words.front(), &CLI::App::get_name);
  if (found == commands.end()) return {};
  const CLI::App* const command = *found;
  words.erase(words.begin());
  if (words.size() >= 2 && words[words.size() - 2] == "--resume")
    return that_begin_with(words.back(), {"last", "best", "auto"});
  if (command->get_name() == "completion") return that_begin_with(words.back(), shells());
  // A command that takes extra words takes settings.
  if (command->get_allow_extras()) return config::complete_settings(words, flags_of(*command));
  return words.back().starts_with("-") ? that_begin_with(words.back(), flags_of(*command))
                                       : std::vector<std::string>();
}

}  // namespace

void add_completion(CLI::App& app) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* completion =
      app.add_subcommand("completion", "Print what makes a shell complete commands and settings");
  completion->add_option("SHELL", *shell, support::either(shells()))->required();
  end_help(*completion, "",
           {"source <(lightrun completion bash)", "source <(lightrun completion zsh)",
            "lightrun completion fish | source"});
  completion->final_callback([shell] {
    const auto script = kScripts.find(*shell);
    if (script == kScripts.end())
      throw UsageError("lightrun completion: expected " + support::either(shells()) + ", got '" + *shell +
                       "'; see lightrun completion --help");
    std::cout << script->second;
  });

  CLI::App* complete = app.add_subcommand("complete", "What may stand for the last word")->group("");
  complete->set_help_flag();
  complete->prefix_command();
  complete->final_callback([&app, complete] {
    for (const std::string& word : answers(app, complete->remaining())) std::cout << word << '\n';
  });
}

}  // namespace lightrun::app
