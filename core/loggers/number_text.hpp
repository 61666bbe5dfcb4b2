#pragma once

#include <string>

namespace lightrun::loggers {

/// The number with as few digits as give the same double (float) back; `nan`, `inf` or `-inf`.
[[nodiscard]] std::string number_text(double value);
[[nodiscard]] std::string number_text(float value);

/// The same as a JSON value: what is not a number is the string "nan", "inf" or "-inf". -0 keeps its sign
/// with readers that take "-0" for a whole number.
[[nodiscard]] std::string json_number(double value);

}  // namespace lightrun::loggers
