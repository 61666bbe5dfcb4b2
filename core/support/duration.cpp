#include "support/duration.hpp"

#include <fmt/format.h>

#include <cmath>

namespace lightrun::support {
namespace {

constexpr double kLongestSeconds = 1e12;
constexpr long kMinutesADay = 1440;

[[nodiscard]] bool is_time(double seconds) {
  return seconds >= 0 && seconds <= kLongestSeconds;
}

}  // namespace

std::string duration_text(double seconds) {
  if (!is_time(seconds)) return "?";
  if (seconds < 0.0995) return fmt::format("{:.0f} ms", seconds * 1000);
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const long whole = std::lround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}m {:02}s", whole / 60, whole % 60);
  const long minutes = std::lround(seconds / 60);
  if (minutes < kMinutesADay) return fmt::format("{}h {:02}m", minutes / 60, minutes % 60);
  const long hours = std::lround(seconds / 3600);
  return fmt::format("{}d {:02}h", hours / 24, hours % 24);
}

std::string clock_text(double seconds) {
  if (!is_time(seconds)) return "?";
  const long whole = std::lround(seconds);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace lightrun::support
