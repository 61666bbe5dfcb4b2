#include "support/run_summary.hpp"

#include "support/duration.hpp"
#include "support/elide.hpp"
#include "support/quantity.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

namespace lightrun::support {
namespace {

constexpr std::size_t kSummaryLabelWidth = 12;

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

std::vector<std::string> run_summary(const RunSummary& summary, const Style& style) {
  std::vector<std::string> lines;
  const auto add = [&](std::string_view label, std::string_view text) {
    lines.push_back(fmt::format("{}{}", style.dim(pad_right(label, kSummaryLabelWidth)), text));
  };
  add("stopped", summary.stop_reason.empty() ? "at the end" : summary.stop_reason);
  add("trained", work_text(summary));
  if (summary.best)
    add("best",
        fmt::format("{}  (epoch {})",
                    style.good(fmt::format("{} {}", summary.monitor, value_text(summary.best->value))),
                    summary.best->epoch + 1));
  if (!summary.run_dir.empty()) add("run folder", summary.run_dir);
  for (const auto& [what, path] : summary.files) add(what, path);
  return lines;
}

}  // namespace lightrun::support
