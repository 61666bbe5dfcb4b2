#include "support/quantity.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>

namespace lightrun::support {
namespace {

template <std::size_t n>
[[nodiscard]] std::string scaled(double value, double base, const std::array<const char*, n>& units) {
  std::size_t unit = 0;
  // 999.95 would be printed as 1000.0.
  while (std::abs(value) >= (unit == 0 ? base - 0.5 : base - 0.05) && unit + 1 < n) {
    value /= base;
    ++unit;
  }
  return fmt::format("{:.{}f}{}", value, unit == 0 ? 0 : 1, units[unit]);
}

}  // namespace

std::string grouped_text(int64_t count) {
  std::string text = std::to_string(count);
  const std::size_t first = text.front() == '-' ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3;) text.insert(at -= 3, 1, ',');
  return text;
}

std::string count_text(double count) {
  static constexpr std::array kUnits = {"", " k", " M", " G", " T"};
  return scaled(count, 1000, kUnits);
}

std::string bytes_text(int64_t bytes) {
  static constexpr std::array kUnits = {" B", " KiB", " MiB", " GiB", " TiB"};
  return scaled(static_cast<double>(bytes), 1024, kUnits);
}

std::string value_text(double value) {
  if (std::isnan(value)) return "nan";
  return fmt::format("{:.4g}", value);
}

std::string counted(int64_t count, const std::string& singular, const std::string& plural) {
  return fmt::format("{} {}", grouped_text(count), count == 1 ? singular : plural);
}

}  // namespace lightrun::support
