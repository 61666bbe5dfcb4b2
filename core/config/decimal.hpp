#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lightrun::config {

/// A decimal number as it was written, without rounding: `digits * 10^exponent`.
struct Decimal {
  bool negative = false;
  bool has_point = false;
  bool leading_zero = false;  ///< more digits after a first 0: "010", "00.5"
  std::string digits;         ///< no zeros at either end; empty: zero
  int64_t exponent = 0;       ///< 0 for zero

  /// The number as an integer, if it is one that fits.
  [[nodiscard]] std::optional<int64_t> whole() const;
};

/// YAML 1.2 core's numbers: `[-+]? ( .5 | 5 | 5. | 5.5 ) ( [eE] [-+]? 5 )?`. Nothing where `text` is not one.
[[nodiscard]] std::optional<Decimal> parse_decimal(std::string_view text);

}  // namespace lightrun::config
