#pragma once

#include "support/style.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lightrun::support {

/// The best value of a metric so far.
class BestValue {
 public:
  struct Best {
    double value = 0;
    int64_t epoch = 0;  ///< from 0
  };

  explicit BestValue(bool higher_is_better) : higher_is_better_(higher_is_better) {}

  /// Takes `value` in if it is better than all before; NaN never is.
  void add(double value, int64_t epoch);

  [[nodiscard]] const std::optional<Best>& best() const { return best_; }

 private:
  bool higher_is_better_;
  std::optional<Best> best_;
};

/// What is said of a run that is over.
struct RunSummary {
  std::string stop_reason;
  int64_t epochs = 0;           ///< completed, the run's whole count
  int64_t steps = 0;            ///< optimizer steps, likewise
  double seconds = 0;           ///< training and validation
  int64_t samples = 0;          ///< trained on
  double training_seconds = 0;  ///< without validation
  std::string monitor = {};
  std::optional<BestValue::Best> best = {};
  std::string checkpoint = {};  ///< the file to use: best.ckpt, or where there is none, last.ckpt
  std::string run_dir = {};
};

/// Why it stopped, how far it came and how fast, the best value, where the files are.
/// @param width columns of the screen, if it goes to one
[[nodiscard]] std::vector<std::string> run_summary(const RunSummary& summary, const Style& style = Style(),
                                                   std::optional<int> width = std::nullopt);

}  // namespace lightrun::support
