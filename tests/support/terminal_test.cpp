#include "support/terminal.hpp"

#include "support/catch.hpp"
#include "support/pseudo_terminal.hpp"

#include <map>

using namespace lightrun::support;
using lightrun::tests::PseudoTerminal;

namespace {

Environment environment(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

/// Not a terminal.
struct Pipe {
  Pipe() { REQUIRE(::pipe(ends) == 0); }
  ~Pipe() {
    ::close(ends[0]);
    ::close(ends[1]);
  }
  int ends[2];
};

}  // namespace

TEST_CASE("a terminal is interactive unless TERM says that it is dumb") {
  const PseudoTerminal terminal(80);
  const Pipe pipe;
  CHECK(look_at_terminal(terminal.fd(), environment({{"TERM", "xterm"}})).interactive);
  CHECK_FALSE(look_at_terminal(terminal.fd(), environment({{"TERM", "dumb"}})).interactive);
  CHECK_FALSE(look_at_terminal(terminal.fd(), environment({})).interactive);
  CHECK_FALSE(look_at_terminal(pipe.ends[1], environment({{"TERM", "xterm"}})).interactive);
}

TEST_CASE("NO_COLOR wins over what forces colour, and that wins over the terminal") {
  struct Case {
    bool terminal;
    std::map<std::string, std::string> variables;
    bool color;
  };
  const auto given = GENERATE(values<Case>({{true, {}, true},
                                            {false, {}, false},
                                            {true, {{"NO_COLOR", "1"}}, false},
                                            {true, {{"NO_COLOR", "0"}}, false},
                                            {true, {{"NO_COLOR", ""}}, true},
                                            {false, {{"CLICOLOR_FORCE", "1"}}, true},
                                            {false, {{"CLICOLOR_FORCE", "0"}}, false},
                                            {false, {{"FORCE_COLOR", "1"}}, true},
                                            {false, {{"FORCE_COLOR", "1"}, {"CLICOLOR_FORCE", "0"}}, true},
                                            {false, {{"NO_COLOR", "1"}, {"FORCE_COLOR", "1"}}, false}}));
  const PseudoTerminal terminal(80);
  const Pipe pipe;
  auto variables = given.variables;
  variables["TERM"] = "xterm";
  const int fd = given.terminal ? terminal.fd() : pipe.ends[1];
  CHECK(look_at_terminal(fd, environment(variables)).color == given.color);
}

TEST_CASE("the width is the terminal's as it is now, then COLUMNS, then 80") {
  PseudoTerminal terminal(100);
  CHECK(terminal_width(terminal.fd(), environment({{"COLUMNS", "60"}})) == 100);
  terminal.resize(50);
  CHECK(terminal_width(terminal.fd(), environment({})) == 50);
  CHECK(terminal_height(terminal.fd(), environment({})) == 24);
  const Pipe pipe;
  CHECK(terminal_width(pipe.ends[1], environment({{"COLUMNS", "60"}})) == 60);
  CHECK(terminal_width(pipe.ends[1], environment({{"COLUMNS", "wide"}})) == 80);
  CHECK(terminal_width(pipe.ends[1], environment({{"COLUMNS", "0"}})) == 80);
  CHECK(terminal_width(pipe.ends[1], environment({})) == 80);
}
