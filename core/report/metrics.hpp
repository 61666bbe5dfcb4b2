#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lightrun::report {

/// One metric of a run: its values and the rows that have one.
struct Series {
  std::string name;
  std::vector<std::size_t> rows;  ///< ascending; as many as values
  std::vector<double> values;     ///< nan and infinities are values
};

/// What a run measured: rows in the order in which they were logged, each with its place in the run.
struct Metrics {
  std::vector<int64_t> epochs;  ///< from 0
  std::vector<int64_t> steps;   ///< optimizer steps before the one of the row
  std::vector<double> seconds;  ///< since the run's start
  std::vector<Series> series;   ///< in the order of the file's columns
  std::size_t bad_lines = 0;    ///< left out, since they are no rows

  [[nodiscard]] std::size_t rows() const { return steps.size(); }
  /// The series of that name, or nullptr.
  [[nodiscard]] const Series* find(std::string_view name) const;
};

/// Reads the text of a metrics.csv. A last line without its end, which a run may be writing, is left out.
/// Throws RunError "is no metrics.csv of lightrun: ..." where the first line is not such a file's.
[[nodiscard]] Metrics parse_metrics_csv(std::string_view text);

/// Reads the text of a metrics.jsonl: an object a line, {"epoch":0,"step":49,"time_s":1.131,"lr":1}, where
/// nan and infinities are the texts "nan", "inf", "-inf".
[[nodiscard]] Metrics parse_metrics_jsonl(std::string_view text);

/// The metrics in a run's folder: of metrics.csv, or where that is not there of metrics.jsonl; without both
/// there are no rows. Throws as above, with the file's path, and where it cannot be read.
[[nodiscard]] Metrics read_metrics(const std::filesystem::path& folder);

}  // namespace lightrun::report
