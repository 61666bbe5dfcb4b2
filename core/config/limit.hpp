#pragma once

#include <cstdint>
#include <string>

namespace lightrun::config {

/// "How many of them": a count (`1` is one batch) or an exact fraction (`1.0` is all, `0.29` of 100 is 29).
/// A fraction is kept as the decimal that was written, never as a binary double: `digits / 10^scale`, in [0,
/// 1].
struct Limit {
  enum class Kind { count, fraction };

  Kind kind = Kind::fraction;
  int64_t count = 0;   ///< of kind count
  int64_t digits = 1;  ///< of kind fraction
  int scale = 0;       ///< of kind fraction, at most 18

  [[nodiscard]] static Limit of_count(int64_t count) { return {.kind = Kind::count, .count = count}; }
  [[nodiscard]] static Limit all() { return {}; }

  /// As it is written in a config: "12", "0.29", "1.0".
  [[nodiscard]] std::string text() const;

  bool operator==(const Limit&) const = default;
};

}  // namespace lightrun::config
