#pragma once

#include "engine/chrome_trace.hpp"

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lightrun::engine {

class OperatorRecorder;

/// Counts and times named actions of the loop, and may write a trace of them. What happens on a GPU is not
/// waited for: its time is found where the loop next waits for it.
class Profiler {
 public:
  using Clock = std::chrono::steady_clock;

  /// Adds one call of `action`, from its construction to its end; nothing where `profiler` is null.
  class Timed {
   public:
    Timed(Profiler* profiler, std::string_view action)
        : profiler_(profiler), action_(action), start_(profiler ? tick() : Clock::time_point()) {}
    ~Timed() {
      if (profiler_) profiler_->add(action_, start_, tick());
    }
    Timed(const Timed&) = delete;
    Timed& operator=(const Timed&) = delete;

   private:
    Profiler* profiler_;
    std::string_view action_;
    Clock::time_point start_;
  };

  /// Operators are in the trace from the start until this many training batches are done.
  static constexpr int64_t kBatchesWithOperators = 100;

  Profiler();
  /// With a ChromeTrace in `folder`: every action, and LibTorch's operators of the first batches.
  explicit Profiler(const std::filesystem::path& folder, ChromeTrace::Limits limits = {});
  ~Profiler();
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;

  /// One call of `action`; both times are from tick().
  void add(std::string_view action, Clock::time_point start, Clock::time_point end);

  /// A training batch is done, with what was due after it.
  void count_batch();

  struct Sum {
    int64_t calls = 0;
    Clock::duration total{};
  };
  [[nodiscard]] const std::map<std::string, Sum, std::less<>>& sums() const { return sums_; }

  /// The table: action, calls, mean, total, share of the time since construction; the longest first. An
  /// action inside another counts in both.
  [[nodiscard]] std::vector<std::string> table() const;

  /// Writes the trace to its end. The line that tells the user of it; nothing where there is none.
  std::optional<std::string> close_trace();

 private:
  Clock::time_point start_ = Clock::now();
  std::map<std::string, Sum, std::less<>> sums_;
  int64_t batches_ = 0;
  std::shared_ptr<ChromeTrace> trace_;           ///< null: only the table
  std::unique_ptr<OperatorRecorder> operators_;  ///< as long as they are recorded
};

}  // namespace lightrun::engine
