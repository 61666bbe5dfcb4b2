#include "report/metrics.hpp"

#include <lightrun/error.hpp>

#include "loggers/csv_position.hpp"
#include "loggers/csv_text.hpp"
#include "report/text_file.hpp"

#include <algorithm>
#include <charconv>

namespace lightrun::report {
namespace {

template <typename Number>
[[nodiscard]] Number number_in(const std::string& cell) {
  Number number{};
  std::from_chars(cell.data(), cell.data() + cell.size(), number);
  return number;
}

[[nodiscard]] std::vector<Series> series_of_header(std::string_view& text) {
  const auto columns = loggers::take_csv_line(text);
  const std::size_t fixed = loggers::kFixedColumns.size();
  if (!columns || columns->size() < fixed ||
      !std::equal(loggers::kFixedColumns.begin(), loggers::kFixedColumns.end(), columns->begin()))
    throw RunError("is no metrics.csv of lightrun: its first line does not begin with epoch,step,time_s");
  std::vector<Series> series;
  for (std::size_t i = fixed; i < columns->size(); ++i)
    series.push_back({.name = (*columns)[i], .rows = {}, .values = {}});
  return series;
}

}  // namespace

const Series* Metrics::find(std::string_view name) const {
  const auto found = std::ranges::find(series, name, &Series::name);
  return found == series.end() ? nullptr : &*found;
}

Metrics parse_metrics_csv(std::string_view text) {
  Metrics metrics;
  if (text.empty()) return metrics;
  metrics.series = series_of_header(text);
  const std::size_t fixed = loggers::kFixedColumns.size();
  while (const auto cells = loggers::take_csv_line(text)) {
    if (cells->size() != fixed + metrics.series.size() || !loggers::is_line_of_metrics(*cells)) {
      ++metrics.bad_lines;
      continue;
    }
    for (std::size_t i = fixed; i < cells->size(); ++i) {
      if ((*cells)[i].empty()) continue;
      metrics.series[i - fixed].rows.push_back(metrics.rows());
      metrics.series[i - fixed].values.push_back(number_in<double>((*cells)[i]));
    }
    metrics.epochs.push_back(number_in<int64_t>((*cells)[0]));
    metrics.steps.push_back(number_in<int64_t>((*cells)[1]));
    metrics.seconds.push_back(number_in<double>((*cells)[2]));
  }
  return metrics;
}

Metrics read_metrics(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "metrics.csv";
  const auto text = read_text(path);
  if (!text) return parse_metrics_jsonl(read_text(folder / "metrics.jsonl").value_or(""));
  try {
    return parse_metrics_csv(*text);
  } catch (const RunError& error) {
    throw RunError(path.string() + ": " + error.what());
  }
}

}  // namespace lightrun::report
