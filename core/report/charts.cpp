#include "report/charts.hpp"

#include "report/throughput.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace lightrun::report {
namespace {

constexpr auto kLearningRate = "learning rate";
constexpr auto kGradientNorm = "gradient norm";
constexpr auto kParameterNorms = "gradient norm of each parameter";
constexpr auto kThroughput = "throughput";

/// Where a chart stands: the smaller, the earlier.
enum class Place { loss, metric, rate, norm, speed, norms };

[[nodiscard]] bool is_learning_rate(std::string_view name) {
  return name == "lr" || name.starts_with("lr_") || name.starts_with("lr-") || name == "learning_rate";
}

/// "grad_2_norm_total", "grad_inf_norm_layer.weight".
[[nodiscard]] bool is_gradient_norm(std::string_view name) {
  return name == "grad_norm" || (name.starts_with("grad_") && name.find("_norm") != std::string_view::npos);
}

[[nodiscard]] std::pair<Place, std::string> chart_of(const std::string& metric) {
  if (is_learning_rate(metric)) return {Place::rate, kLearningRate};
  if (is_gradient_norm(metric)) {
    const bool is_total = metric == "grad_norm" || metric.find("_norm_total") != std::string::npos;
    return is_total ? std::pair(Place::norm, std::string(kGradientNorm))
                    : std::pair(Place::norms, std::string(kParameterNorms));
  }
  if (metric == kSamplesPerSecond || metric == kStepsPerSecond) return {Place::speed, kThroughput};
  std::string quantity = meaning_of(metric).quantity;
  const Place place = quantity.find("loss") == std::string::npos ? Place::metric : Place::loss;
  return {place, std::move(quantity)};
}

[[nodiscard]] bool take_prefix(std::string& name, std::string_view word) {
  if (name.size() <= word.size() + 1 || !name.starts_with(word)) return false;
  const char separator = name[word.size()];
  if (separator != '_' && separator != '/' && separator != '.' && separator != '-') return false;
  name.erase(0, word.size() + 1);
  return true;
}

[[nodiscard]] bool take_suffix(std::string& name, std::string_view suffix) {
  if (name.size() <= suffix.size() || !name.ends_with(suffix)) return false;
  name.resize(name.size() - suffix.size());
  return true;
}

}  // namespace

const char* name_of(Role role) {
  switch (role) {
    case Role::train:
      return "train";
    case Role::train_epoch:
      return "train_epoch";
    case Role::val:
      return "val";
    case Role::test:
      return "test";
    case Role::other:
      return "other";
  }
  return "other";
}

Meaning meaning_of(const std::string& metric) {
  struct Word {
    std::string_view text;
    Role role;
  };
  static constexpr std::array<Word, 6> kWords = {{{"train", Role::train},
                                                  {"training", Role::train},
                                                  {"val", Role::val},
                                                  {"valid", Role::val},
                                                  {"validation", Role::val},
                                                  {"test", Role::test}}};
  Meaning meaning{.quantity = metric};
  for (const Word& word : kWords) {
    if (!take_prefix(meaning.quantity, word.text)) continue;
    meaning.role = word.role;
    break;
  }
  // The model's own "loss" is what it trains with.
  if (metric == "loss" || metric == "loss_epoch" || metric == "loss_step") meaning.role = Role::train;
  const bool is_epoch = take_suffix(meaning.quantity, "_epoch");
  if (!is_epoch) static_cast<void>(take_suffix(meaning.quantity, "_step"));
  if (is_epoch && meaning.role == Role::train) meaning.role = Role::train_epoch;
  return meaning;
}

std::vector<Chart> plan_charts(const std::vector<std::string>& metrics) {
  struct Placed {
    Place place;
    Chart chart;
  };
  std::vector<Placed> placed;
  for (const std::string& metric : metrics) {
    const auto [place, title] = chart_of(metric);
    auto at = std::ranges::find_if(
        placed, [&](const Placed& each) { return each.place == place && each.chart.title == title; });
    if (at == placed.end()) at = placed.insert(at, {.place = place, .chart = {.title = title, .lines = {}}});
    const bool is_measured = place == Place::loss || place == Place::metric;
    at->chart.lines.push_back({metric, is_measured ? meaning_of(metric).role : Role::other});
  }
  std::ranges::stable_sort(placed, {}, &Placed::place);
  std::vector<Chart> charts;
  for (Placed& each : placed) {
    each.chart.is_detail = each.place == Place::norms;
    std::ranges::stable_sort(each.chart.lines, {}, &Line::role);
    charts.push_back(std::move(each.chart));
  }
  return charts;
}

}  // namespace lightrun::report
