#include "config/duration.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <string_view>

namespace lightrun::config {

namespace {

constexpr const char* kDuration = "a time (90, 1h30m or DD:HH:MM:SS)";

/// A whole number at the front of `text`, which loses it.
std::optional<int64_t> take_number(std::string_view& text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || text.front() == '-') return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::optional<double> seconds_of_unit(char unit) {
  switch (unit) {
    case 'd':
      return 86400;
    case 'h':
      return 3600;
    case 'm':
      return 60;
    case 's':
      return 1;
    default:
      return std::nullopt;
  }
}

/// "1h30m".
std::optional<double> parse_units(std::string_view text) {
  if (text.empty()) return std::nullopt;
  double seconds = 0;
  while (!text.empty()) {
    const auto number = take_number(text);
    if (!number || text.empty()) return std::nullopt;
    const auto unit = seconds_of_unit(text.front());
    if (!unit) return std::nullopt;
    seconds += static_cast<double>(*number) * *unit;
    text.remove_prefix(1);
  }
  return seconds;
}

/// "DD:HH:MM:SS".
std::optional<double> parse_clock(std::string_view text) {
  constexpr std::array kSeconds = {86400.0, 3600.0, 60.0, 1.0};
  double seconds = 0;
  for (std::size_t part = 0; part < kSeconds.size(); ++part) {
    const auto number = text.empty() ? std::nullopt : take_number(text);
    if (!number) return std::nullopt;
    seconds += static_cast<double>(*number) * kSeconds[part];
    if (part + 1 == kSeconds.size()) break;
    if (!text.starts_with(':')) return std::nullopt;
    text.remove_prefix(1);
  }
  return text.empty() ? std::optional(seconds) : std::nullopt;
}

}  // namespace

Codec<double> duration() {
  const auto number_of_seconds = number(above(0));
  const auto read = [number_of_seconds](const Value& value, const Report& report) -> std::optional<double> {
    const bool scalar = value.kind == Value::Kind::scalar;
    auto seconds = scalar ? parse_units(value.text) : std::nullopt;
    if (scalar && !seconds) seconds = parse_clock(value.text);
    if (seconds && *seconds > 0) return seconds;
    if (scalar && !value.quoted && looks_like_a_number(value.text))
      return number_of_seconds.read(value, report);
    report(value.mark, seconds ? fmt::format("must be > 0, got {}", value.text) : expected(kDuration, value));
    return std::nullopt;
  };
  return {kDuration, "> 0", read, number_of_seconds.write, false, R"({"type":["number","string"]})"};
}

}  // namespace lightrun::config
