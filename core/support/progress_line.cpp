#include "support/progress_line.hpp"

#include "support/duration.hpp"
#include "support/elide.hpp"
#include "support/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace lightrun::support {
namespace {

constexpr std::size_t kLongestBar = 30;
constexpr std::size_t kShortestBar = 8;
constexpr std::string_view kGap = "  ";
constexpr std::string_view kEpochSuffix = "_epoch";

[[nodiscard]] std::string of(int64_t part, const std::optional<int64_t>& whole) {
  return whole ? fmt::format("{}/{}", part, *whole) : fmt::format("{}", part);
}

/// The same, with room for all digits of the whole.
[[nodiscard]] std::string aligned(int64_t part, const std::optional<int64_t>& whole) {
  return whole ? fmt::format("{:>{}}/{}", part, fmt::formatted_size("{}", *whole), *whole) : of(part, whole);
}

/// "312 batch/s", or "2.5 s/batch" where a batch takes over a second.
[[nodiscard]] std::string rate_text(double seconds_per_batch) {
  if (seconds_per_batch > 1) return fmt::format("{:.3g} s/batch", seconds_per_batch);
  const double rate = 1 / std::max(seconds_per_batch, 1e-9);
  return rate < 100 ? fmt::format("{:.3g} batch/s", rate) : fmt::format("{} batch/s", count_text(rate));
}

/// `[=====>    ]` of `width` columns in all.
[[nodiscard]] std::string bar(int64_t part, int64_t whole, std::size_t width) {
  const std::size_t inside = width - 2;
  const double share = static_cast<double>(part) / static_cast<double>(std::max<int64_t>(whole, 1));
  const auto filled = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(inside));
  std::string text(filled, '=');
  if (filled < inside) text += '>';
  text.resize(inside, ' ');
  return fmt::format("[{}]", text);
}

/// The parts of a line, before it is known how many of them fit.
struct Parts {
  std::string head;
  std::string count;
  std::string waiting = {};
  std::string rate;
  std::vector<std::string> metrics;
  std::string eta;
  bool has_bar = false;

  [[nodiscard]] std::string text(std::string_view bar_text) const {
    std::string line = head;
    for (const std::string_view part : {bar_text, std::string_view(count)})
      if (!part.empty()) line.append(" ").append(part);
    const auto add = [&line](const std::string& part) {
      if (!part.empty()) line.append(kGap).append(part);
    };
    add(waiting);
    add(rate);
    for (const std::string& metric : metrics) add(metric);
    add(eta);
    return line;
  }

  [[nodiscard]] std::size_t shortest() const {
    return display_width(text({})) + (has_bar ? kShortestBar + 1 : 0);
  }

  void fit(std::size_t width) {
    while (shortest() > width && !metrics.empty()) metrics.pop_back();
    if (shortest() > width) rate.clear();
    if (shortest() > width) has_bar = false;
    if (shortest() > width) eta.clear();
    if (shortest() > width && !waiting.empty()) count.clear();
  }
};

[[nodiscard]] std::vector<std::string> metric_texts(const ShownMetrics& metrics) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : metrics) texts.push_back(fmt::format("{} {}", name, value_text(value)));
  return texts;
}

[[nodiscard]] std::string head_text(const ProgressState& state) {
  switch (state.doing) {
    case ProgressState::Doing::sanity_checking:
      return "sanity check";
    case ProgressState::Doing::testing:
      return "testing";
    case ProgressState::Doing::predicting:
      return "predicting";
    case ProgressState::Doing::validating:
      return fmt::format("epoch {}  validating", of(state.epoch, state.epochs));
    case ProgressState::Doing::training:
      break;
  }
  return fmt::format("epoch {}", of(state.epoch, state.epochs));
}

[[nodiscard]] bool is_training(const ProgressState& state) {
  return state.doing == ProgressState::Doing::training;
}

[[nodiscard]] std::string eta_text(const ProgressState& state) {
  return state.seconds_left ? fmt::format("ETA {}", clock_text(*state.seconds_left)) : "";
}

/// Where a metric stands among the others.
[[nodiscard]] int reading_rank(std::string_view name) {
  if (name == "loss" || name.starts_with("train_loss")) return 0;
  if (name.starts_with("val_loss")) return 1;
  return name.starts_with("val_") ? 2 : 3;
}

}  // namespace

ShownMetrics in_reading_order(const std::map<std::string, double, std::less<>>& metrics) {
  ShownMetrics shown;
  for (const auto& [name, value] : metrics) {
    if (name.ends_with(kEpochSuffix) && metrics.contains(name.substr(0, name.size() - kEpochSuffix.size())))
      continue;
    const auto of_epoch = metrics.find(name + std::string(kEpochSuffix));
    shown.emplace_back(name, of_epoch == metrics.end() ? value : of_epoch->second);
  }
  std::stable_sort(shown.begin(), shown.end(), [](const auto& a, const auto& b) {
    return reading_rank(a.first) < reading_rank(b.first);
  });
  return shown;
}

std::string progress_line(const ProgressState& state, int width, std::string_view waiting) {
  Parts parts = {.head = head_text(state),
                 .count = of(state.batch, state.batches),
                 .waiting = std::string(waiting),
                 .rate = state.seconds_per_batch ? rate_text(*state.seconds_per_batch) : "",
                 .metrics = metric_texts(state.metrics),
                 .eta = eta_text(state),
                 .has_bar = state.batches.has_value()};
  const auto columns = static_cast<std::size_t>(std::max(width, 1));
  parts.fit(columns);
  if (!parts.has_bar) return elide(parts.text({}), columns);
  const std::size_t room = columns - display_width(parts.text({})) - 1;
  return elide(parts.text(bar(state.batch, *state.batches, std::min(room, kLongestBar))), columns);
}

std::string plain_progress_line(const ProgressState& state) {
  const Parts parts = {.head = fmt::format("{}{}", head_text(state), is_training(state) ? "  batch" : ""),
                       .count = of(state.batch, state.batches),
                       .rate = state.seconds_per_batch ? rate_text(*state.seconds_per_batch) : "",
                       .metrics = metric_texts(state.metrics),
                       .eta = eta_text(state)};
  return parts.text({});
}

std::string epoch_line(const EpochReport& report, std::optional<int> width) {
  std::vector<std::string> parts = {fmt::format("epoch {}", aligned(report.epoch, report.epochs))};
  if (report.batches && report.batch < *report.batches)
    parts.push_back(fmt::format("{} of {} batches", report.batch, *report.batches));
  const auto step = static_cast<std::ptrdiff_t>(parts.size());
  parts.push_back(fmt::format("step {}", report.step));
  for (std::string& metric : metric_texts(report.metrics)) parts.push_back(std::move(metric));
  parts.push_back(duration_text(report.seconds));
  const auto text = [&parts] { return fmt::format("{}", fmt::join(parts, kGap)); };
  if (!width) return text();
  const auto columns = static_cast<std::size_t>(std::max(*width, 1));
  if (display_width(text()) > columns) parts.erase(parts.begin() + step);
  while (display_width(text()) > columns && parts.size() > 2) parts.erase(parts.end() - 2);
  return elide(text(), columns);
}

}  // namespace lightrun::support
