#include "config/decimal.hpp"

#include <fmt/format.h>

#include <charconv>

namespace lightrun::config {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view take_digits(std::string_view& text) {
  std::size_t n = 0;
  while (n < text.size() && is_digit(text[n])) ++n;
  const std::string_view digits = text.substr(0, n);
  text.remove_prefix(n);
  return digits;
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

/// The exponent after an `e`; far beyond any number where the digits overflow.
std::optional<int64_t> take_exponent(std::string_view& text) {
  constexpr int64_t kFar = 1'000'000'000;
  const bool negative = !text.empty() && text.front() == '-';
  take(text, "+-");
  const std::string_view digits = take_digits(text);
  if (digits.empty()) return std::nullopt;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || value > kFar) value = kFar;
  return negative ? -value : value;
}

}  // namespace

std::optional<Decimal> parse_decimal(std::string_view text) {
  Decimal number;
  number.negative = !text.empty() && text.front() == '-';
  take(text, "+-");
  const std::string_view before = take_digits(text);
  std::string_view after;
  if (take(text, ".")) {
    number.has_point = true;
    after = take_digits(text);
  }
  if (before.empty() && after.empty()) return std::nullopt;
  if (take(text, "eE")) {
    const auto exponent = take_exponent(text);
    if (!exponent) return std::nullopt;
    number.exponent = *exponent;
  }
  if (!text.empty()) return std::nullopt;

  number.leading_zero = before.size() > 1 && before.front() == '0';
  number.exponent -= static_cast<int64_t>(after.size());
  number.digits = std::string(before) + std::string(after);
  number.digits.erase(0, number.digits.find_first_not_of('0'));
  while (!number.digits.empty() && number.digits.back() == '0') {
    number.digits.pop_back();
    ++number.exponent;
  }
  if (number.digits.empty()) number.exponent = 0;
  return number;
}

std::optional<int64_t> Decimal::whole() const {
  constexpr int64_t kMostDigits = 19;
  if (digits.empty()) return 0;
  if (exponent < 0 || exponent + static_cast<int64_t>(digits.size()) > kMostDigits) return std::nullopt;
  const std::string text = fmt::format("{}{}{:0>{}}", negative ? "-" : "", digits, "", exponent);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

}  // namespace lightrun::config
