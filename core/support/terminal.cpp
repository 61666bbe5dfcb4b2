#include "support/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <system_error>

namespace lightrun::support {
namespace {

constexpr int kDefaultColumns = 80;
constexpr int kDefaultRows = 24;

[[nodiscard]] bool forces(const std::optional<std::string>& value) {
  return value && !value->empty() && *value != "0";
}

[[nodiscard]] int positive_or(const std::optional<std::string>& text, int fallback) {
  if (!text) return fallback;
  int number = 0;
  const auto [stop, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  return error == std::errc{} && stop == text->data() + text->size() && number > 0 ? number : fallback;
}

[[nodiscard]] winsize size_of(int fd) {
  winsize size = {};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0) return {};
  return size;
}

}  // namespace

std::optional<std::string> process_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

Terminal look_at_terminal(int fd, const Environment& environment) {
  const std::string term = environment("TERM").value_or("");
  const bool interactive = ::isatty(fd) == 1 && !term.empty() && term != "dumb";
  if (const auto no_color = environment("NO_COLOR"); no_color && !no_color->empty())
    return {.interactive = interactive, .color = false};
  const bool forced = forces(environment("CLICOLOR_FORCE")) || forces(environment("FORCE_COLOR"));
  return {.interactive = interactive, .color = forced || interactive};
}

int terminal_width(int fd, const Environment& environment) {
  const int columns = size_of(fd).ws_col;
  return columns > 0 ? columns : positive_or(environment("COLUMNS"), kDefaultColumns);
}

int terminal_height(int fd, const Environment& environment) {
  const int rows = size_of(fd).ws_row;
  return rows > 0 ? rows : positive_or(environment("LINES"), kDefaultRows);
}

}  // namespace lightrun::support
