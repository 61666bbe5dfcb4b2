#include "report/metrics.hpp"

#include <nlohmann/json.hpp>

#include <limits>
#include <optional>
#include <unordered_map>

namespace lightrun::report {
namespace {

using JsonRow = nlohmann::ordered_json;

[[nodiscard]] std::optional<double> value_in_line(const JsonRow& value) {
  if (value.is_number()) return value.get<double>();
  if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (value == "inf") return std::numeric_limits<double>::infinity();
  if (value == "-inf") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

/// Puts rows together from lines.
class Rows {
 public:
  void add(const JsonRow& line) {
    if (!is_row(line)) {
      ++metrics_.bad_lines;
      return;
    }
    for (const auto& [name, value] : line.items()) {
      const auto number = value_in_line(value);
      if (!number || name == "epoch" || name == "step" || name == "time_s") continue;
      Series& series = series_called(name);
      series.rows.push_back(metrics_.rows());
      series.values.push_back(*number);
    }
    metrics_.epochs.push_back(line["epoch"].get<int64_t>());
    metrics_.steps.push_back(line["step"].get<int64_t>());
    metrics_.seconds.push_back(line["time_s"].get<double>());
  }

  [[nodiscard]] Metrics take() { return std::move(metrics_); }

 private:
  [[nodiscard]] static bool is_row(const JsonRow& line) {
    if (!line.is_object()) return false;
    for (const char* const name : {"epoch", "step"})
      if (!line.contains(name) || !line[name].is_number_integer()) return false;
    return line.contains("time_s") && line["time_s"].is_number();
  }

  [[nodiscard]] Series& series_called(const std::string& name) {
    const auto [place, is_new] = places_.try_emplace(name, metrics_.series.size());
    if (is_new) metrics_.series.push_back({.name = name, .rows = {}, .values = {}});
    return metrics_.series[place->second];
  }

  Metrics metrics_;
  std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace

Metrics parse_metrics_jsonl(std::string_view text) {
  Rows rows;
  for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    rows.add(JsonRow::parse(text.substr(0, end), nullptr, /*allow_exceptions=*/false));
    text.remove_prefix(end + 1);
  }
  return rows.take();
}

}  // namespace lightrun::report
