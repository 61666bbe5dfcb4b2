#include "loggers/number_text.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace lightrun::loggers {
namespace {

template <typename Number>
std::string shortest(Number value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

}  // namespace

std::string number_text(double value) {
  return shortest(value);
}

std::string number_text(float value) {
  return shortest(value);
}

std::string json_number(double value) {
  const std::string text = number_text(value);
  if (!std::isfinite(value)) return '"' + text + '"';
  return text == "-0" ? "-0.0" : text;
}

}  // namespace lightrun::loggers
