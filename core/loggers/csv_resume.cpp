#include "loggers/csv_resume.hpp"

#include "loggers/csv_text.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace lightrun::loggers {
namespace {

constexpr std::size_t kTimeColumn = 2;

/// A file of later has more columns; one of earlier, that another checkpoint was continued to, has fewer.
[[nodiscard]] bool begins_alike(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const auto shared = static_cast<std::ptrdiff_t>(std::min(a.size(), b.size()));
  return shared >= std::ssize(kFixedColumns) && std::equal(a.begin(), a.begin() + shared, b.begin());
}

/// Whether later calls may have made `line` of `known`: they fill what is empty. A run that was resumed
/// before has the line with another time.
[[nodiscard]] bool completes(const std::vector<std::string>& line, const std::vector<std::string>& known) {
  for (std::size_t i = 0; i < known.size(); ++i)
    if (i != kTimeColumn && !known[i].empty() && known[i] != line[i]) return false;
  return true;
}

/// Lines of `columns` columns, which the header gives, are made lines of the position's columns.
[[nodiscard]] LineReader csv_reader(const CsvPosition& position, std::size_t& columns) {
  return {
      .take_header =
          [&](std::string_view& text) {
            const auto names = take_csv_line(text);
            if (names) columns = names->size();
            return names && begins_alike(*names, position.columns);
          },
      .line_then = [&](std::string_view line) -> std::optional<std::string> {
        auto cells = take_csv_line(line);
        if (!cells || cells->size() != columns || !is_line_of_metrics(*cells)) return std::nullopt;
        cells->resize(position.columns.size());
        return csv_line(*cells);
      },
      .completes_last =
          [&](std::string_view line) { return completes(*take_csv_line(line), position.last_line); },
  };
}

}  // namespace

ResumedCsv resume_csv(const std::filesystem::path& path, const LoggerState& state,
                      const std::filesystem::path& from) {
  const std::optional<CsvPosition> known = position_of(state);
  CsvPosition position = known.value_or(CsvPosition{.columns = fixed_columns(), .lines = 0, .last_line = {}});
  std::size_t columns = 0;
  const LinePosition lines = {.header = csv_line(position.columns),
                              .lines = position.lines,
                              .last_line = csv_line(position.last_line)};
  ResumedLines resumed = resume_lines(path, from, lines, known.has_value(), csv_reader(position, columns));
  position.lines = resumed.lines;
  return {.position = std::move(position),
          .last_line_start = resumed.last_line_start,
          .warning = std::move(resumed.warning)};
}

}  // namespace lightrun::loggers
