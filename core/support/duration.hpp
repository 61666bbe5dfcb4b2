#pragma once

#include <chrono>
#include <string>

namespace lightrun::support {

[[nodiscard]] inline double seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

/// For reading: "12 ms", "0.4 s", "42 s", "1m 03s", "2h 05m", "3d 04h"; "?" for what is not a time.
[[nodiscard]] std::string duration_text(double seconds);

/// For a clock that counts down: "0:12", "1:02:03", "26:00:00"; "?" for what is not a time.
[[nodiscard]] std::string clock_text(double seconds);

}  // namespace lightrun::support
