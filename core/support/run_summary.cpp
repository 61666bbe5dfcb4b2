#include "support/run_summary.hpp"

#include "support/duration.hpp"
#include "support/facts.hpp"
#include "support/quantity.hpp"

#include <fmt/format.h>

#include <cmath>

namespace lightrun::support {
namespace {

[[nodiscard]] std::string work_text(const RunSummary& summary) {
  std::string text = fmt::format("{}, {} in {}", counted(summary.epochs, "epoch", "epochs"),
                                 counted(summary.steps, "step", "steps"), duration_text(summary.seconds));
  if (summary.samples > 0 && summary.training_seconds > 0)
    text += fmt::format(", {} samples/s",
                        count_text(static_cast<double>(summary.samples) / summary.training_seconds));
  return text;
}

}  // namespace

void BestValue::add(double value, int64_t epoch) {
  if (std::isnan(value)) return;
  const bool better = !best_ || (higher_is_better_ ? value > best_->value : value < best_->value);
  if (better) best_ = {.value = value, .epoch = epoch};
}

std::vector<std::string> run_summary(const RunSummary& summary, const Style& style,
                                     std::optional<int> width) {
  Facts facts(style, width);
  facts.add("stopped", summary.stop_reason.empty() ? "at the end" : summary.stop_reason);
  facts.add("trained", work_text(summary));
  if (summary.best)
    facts.add("best",
              fmt::format("{} {}  (epoch {})", summary.monitor, value_text(summary.best->value),
                          summary.best->epoch + 1),
              Facts::Tone::good);
  if (!summary.checkpoint.empty()) facts.add("checkpoint", summary.checkpoint);
  if (!summary.run_dir.empty()) facts.add("run folder", summary.run_dir);
  return facts.lines();
}

}  // namespace lightrun::support
