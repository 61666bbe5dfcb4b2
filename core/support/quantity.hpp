#pragma once

#include <cstdint>
#include <string>

namespace lightrun::support {

/// All digits, in groups: "1,797".
[[nodiscard]] std::string grouped_text(int64_t count);

/// In three digits: "950", "12.3 k", "1.2 M".
[[nodiscard]] std::string count_text(double count);

/// "512 B", "18.8 KiB", "4.9 MiB".
[[nodiscard]] std::string bytes_text(int64_t bytes);

/// A measured value in four digits: "0.9722", "1.234e-05", "nan".
[[nodiscard]] std::string value_text(double value);

/// "1 epoch", "1,257 samples".
[[nodiscard]] std::string counted(int64_t count, const std::string& singular, const std::string& plural);

}  // namespace lightrun::support
