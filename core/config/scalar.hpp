#pragma once

#include "config/limit.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// What a plain scalar's text means: YAML 1.2's core schema, made stricter where it surprises. The same rules
/// hold in a file and on the command line, in every locale.
namespace lightrun::config {

/// A value, or why the text is none: "a leading zero is ambiguous: write 10".
template <typename T>
struct Parsed {
  std::optional<T> value;
  std::string error = {};
};

/// `true` or `false`, nothing else: `yes`, `on`, `True` are text.
[[nodiscard]] Parsed<bool> parse_bool(std::string_view text);

/// Decimal digits; `0x1f`; `1e3` and `2.5e3`, which are whole. A leading zero (`010`), `0o17`, `1_000`, `3.0`
/// and what does not fit 64 bits are refused.
[[nodiscard]] Parsed<int64_t> parse_int(std::string_view text);

/// The nearest double to `0.1`, `1e-3`, `.5`, `64`, `0x1f`; `.inf`, `-.inf`, `.nan`. A leading zero (`010`)
/// and what is beyond a double (`1e999`) are refused.
[[nodiscard]] Parsed<double> parse_double(std::string_view text);

/// Whether it is a number, or was meant as one: `3`, `.inf`, `010`, `1_000`.
[[nodiscard]] bool looks_like_a_number(std::string_view text);

/// Without a decimal point a count >= 0 (`1`, `1e3`); with one a fraction in [0, 1] (`1.0`, `0.29`), kept
/// exactly; `5e-1`, which is not whole, is a fraction too.
[[nodiscard]] Parsed<Limit> parse_limit(std::string_view text);

/// The shortest text that reads back as the same double and is seen to be one: "0.1", "1.0", "1.0e-08",
/// ".nan".
[[nodiscard]] std::string print_double(double value);

/// Whether the plain text means itself, also to YAML 1.1 readers: not "true", "no", "null", "010", "1e3",
/// "1:30".
[[nodiscard]] bool reads_as_text(std::string_view text);

/// "", "~" or "null".
[[nodiscard]] bool reads_as_null(std::string_view text);

}  // namespace lightrun::config
