#include "config/scalar.hpp"

#include "config/decimal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace lightrun::config {

namespace {

constexpr std::string_view kBeyondInt64 = "beyond 64 bits (at most 9223372036854775807)";

std::string without_leading_zeros(std::string_view text) {
  const bool negative = text.front() == '-';
  if (negative || text.front() == '+') text.remove_prefix(1);
  while (text.size() > 1 && text.front() == '0' && text[1] >= '0' && text[1] <= '9') text.remove_prefix(1);
  return fmt::format("{}{}", negative ? "-" : "", text);
}

std::string leading_zero_error(std::string_view text) {
  return fmt::format("a leading zero is octal to some readers and decimal to others: write {}",
                     without_leading_zeros(text));
}

bool is_hex(std::string_view text) {
  return text.starts_with("0x") && text.size() > 2;
}

Parsed<int64_t> parse_hex(std::string_view text) {
  text.remove_prefix(2);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (end != text.data() + text.size() || text.front() == '-')
    return {std::nullopt, "not a hexadecimal number"};
  if (error != std::errc()) return {std::nullopt, std::string(kBeyondInt64)};
  return {value};
}

/// What is wrong with text that looks like a number, but is none; "" where it does not look like one.
std::string number_error(std::string_view text) {
  if (text.starts_with("0o")) return "octal numbers are not taken: write it in decimal";
  if (text.find('_') != std::string_view::npos) {
    std::string plain(text);
    std::erase(plain, '_');
    if (parse_decimal(plain)) return fmt::format("no _ inside a number: write {}", plain);
  }
  return "";
}

std::optional<double> parse_special(std::string_view text) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  for (const std::string_view inf : {".inf", ".Inf", ".INF"}) {
    if (text == inf) return kInf;
    if (text.size() == 5 && text.ends_with(inf) && text.front() == '+') return kInf;
    if (text.size() == 5 && text.ends_with(inf) && text.front() == '-') return -kInf;
  }
  if (text == ".nan" || text == ".NaN" || text == ".NAN") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

Parsed<Limit> fraction(const Decimal& number) {
  constexpr int64_t kMostDecimals = 18;
  const auto order = number.exponent + static_cast<int64_t>(number.digits.size());  // 0.1 has 0, 1.0 has 1
  if (order > 1 || (order == 1 && number.digits != "1")) {
    return {std::nullopt, "a fraction must be at most 1.0 (without a point it is a count)"};
  }
  if (number.exponent < -kMostDecimals) return {std::nullopt, "a fraction has at most 18 decimals"};
  Limit limit;
  limit.digits = 0;
  if (!number.digits.empty()) {
    std::from_chars(number.digits.data(), number.digits.data() + number.digits.size(), limit.digits);
  }
  limit.scale = static_cast<int>(-std::min<int64_t>(number.exponent, 0));
  return {limit};
}

}  // namespace

Parsed<bool> parse_bool(std::string_view text) {
  if (text == "true") return {true};
  if (text == "false") return {false};
  return {std::nullopt};
}

Parsed<int64_t> parse_int(std::string_view text) {
  if (is_hex(text)) return parse_hex(text);
  const auto number = parse_decimal(text);
  if (!number) return {std::nullopt, number_error(text)};
  if (number->leading_zero) return {std::nullopt, leading_zero_error(text)};
  const bool has_exponent = text.find_first_of("eE") != std::string_view::npos;
  if (number->has_point && !has_exponent) return {std::nullopt};  // 3.0 says "not a count"
  if (const auto value = number->whole()) return {*value};
  if (number->exponent >= 0) return {std::nullopt, std::string(kBeyondInt64)};
  return {std::nullopt};
}

Parsed<double> parse_double(std::string_view text) {
  if (const auto special = parse_special(text)) return {*special};
  if (is_hex(text)) {
    const auto whole = parse_hex(text);
    if (!whole.value) return {std::nullopt, whole.error};
    return {static_cast<double>(*whole.value)};
  }
  const auto number = parse_decimal(text);
  if (!number) return {std::nullopt, number_error(text)};
  if (number->leading_zero) return {std::nullopt, leading_zero_error(text)};
  if (text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return {std::nullopt, "beyond what a double can hold"};
  return {value};
}

bool looks_like_a_number(std::string_view text) {
  const auto parsed = parse_double(text);
  return parsed.value || !parsed.error.empty();
}

Parsed<Limit> parse_limit(std::string_view text) {
  if (is_hex(text)) {
    const auto count = parse_hex(text);
    if (!count.value) return {std::nullopt, count.error};
    return {Limit::of_count(*count.value)};
  }
  const auto number = parse_decimal(text);
  if (!number) return {std::nullopt, number_error(text)};
  if (number->leading_zero) return {std::nullopt, leading_zero_error(text)};
  if (number->negative && !number->digits.empty()) return {std::nullopt, "must not be negative"};
  if (number->has_point || number->exponent < 0) return fraction(*number);
  if (const auto count = number->whole()) return {Limit::of_count(*count)};
  return {std::nullopt, std::string(kBeyondInt64)};
}

std::string print_double(double value) {
  if (std::isnan(value)) return ".nan";
  if (std::isinf(value)) return value < 0 ? "-.inf" : ".inf";
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  std::string text(buffer.data(), end);
  // A point always: "1" would be an integer, and "1e-08" is text to YAML 1.1 readers such as PyYAML.
  if (text.find('.') == std::string::npos) text.insert(std::min(text.find('e'), text.size()), ".0");
  return text;
}

bool reads_as_null(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

bool reads_as_text(std::string_view text) {
  if (reads_as_null(text) || parse_special(text)) return false;
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const std::string_view word : {"true", "false", "yes", "no", "on", "off", "y", "n"}) {
    if (lower == word) return false;
  }
  // Whatever starts like a number may be one to somebody: 1_000, 1:30, 0o17, 2024-01-01.
  if (lower.front() >= '0' && lower.front() <= '9') return false;
  if (lower.size() > 1 && std::string_view("+-.").find(lower.front()) != std::string_view::npos) {
    const char next = lower[1] == '.' && lower.size() > 2 ? lower[2] : lower[1];
    return next < '0' || next > '9';
  }
  return true;
}

}  // namespace lightrun::config
