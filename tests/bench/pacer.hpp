#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <string>

namespace lightrun::bench {

/// Lets bench.py time a loop in rounds, so that several take turns: after the first batch the loop prints
/// when that was ended, and then waits for a line; each line is a round of batches, answered by the time it
/// took and the last loss.
class Pacer {
 public:
  /// @param batches in a round
  explicit Pacer(int64_t batches) : batches_(batches) {}

  /// After each batch. False: bench.py wants no more.
  [[nodiscard]] bool go_on(double loss) {
    if (done_++ == 0) {
      say("first " + std::to_string(now()));
      return wait();
    }
    if ((done_ - 1) % batches_ != 0) return true;
    say("round " + std::to_string(now() - begun_) + " " + std::to_string(loss));
    return wait();
  }

 private:
  /// Nanoseconds on the clock of Python's time.monotonic_ns().
  static int64_t now() {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  static void say(const std::string& line) {
    std::fputs((line + "\n").c_str(), stdout);
    std::fflush(stdout);
  }

  bool wait() {
    std::string line;
    const bool wanted = static_cast<bool>(std::getline(std::cin, line));
    begun_ = now();
    return wanted;
  }

  int64_t batches_;
  int64_t done_ = 0;
  int64_t begun_ = 0;
};

}  // namespace lightrun::bench
