#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lightrun::engine {

/// Counts and times named actions of the loop. What happens on a GPU is not waited for: its time is found
/// where the loop next waits for it.
class Profiler {
 public:
  using Clock = std::chrono::steady_clock;

  /// Adds one call of `action`, from its construction to its end; nothing where `profiler` is null.
  class Timed {
   public:
    Timed(Profiler* profiler, std::string_view action)
        : profiler_(profiler), action_(action), start_(profiler ? Clock::now() : Clock::time_point()) {}
    ~Timed() {
      if (profiler_) profiler_->add(action_, Clock::now() - start_);
    }
    Timed(const Timed&) = delete;
    Timed& operator=(const Timed&) = delete;

   private:
    Profiler* profiler_;
    std::string_view action_;
    Clock::time_point start_;
  };

  void add(std::string_view action, Clock::duration duration);

  struct Sum {
    int64_t calls = 0;
    Clock::duration total{};
  };
  [[nodiscard]] const std::map<std::string, Sum, std::less<>>& sums() const { return sums_; }

  /// The table: action, calls, mean, total, share of the time since construction; the longest first. An
  /// action inside another counts in both.
  [[nodiscard]] std::vector<std::string> table() const;

 private:
  Clock::time_point start_ = Clock::now();
  std::map<std::string, Sum, std::less<>> sums_;
};

}  // namespace lightrun::engine
