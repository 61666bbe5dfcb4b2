#include "loggers/csv_resume.hpp"

#include <lightrun/error.hpp>

#include "loggers/csv_text.hpp"
#include "support/atomic_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

namespace lightrun::loggers {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kTimeColumn = 2;

/// What a file has of the lines before the last one that a checkpoint knows of.
struct EarlierLines {
  std::vector<std::string> lines;  // in the checkpoint's columns
  std::string fault;               // what is wrong with the file; empty: nothing, or lines missing
  bool is_foreign = false;         // not all of it is of a run that went on from the checkpoint
};

[[nodiscard]] std::error_code read_text(const fs::path& path, std::string& text) {
  std::error_code error;
  const auto bytes = fs::file_size(path, error);
  if (error) return error;
  std::ifstream file(path, std::ios::binary);
  if (!file) return {errno, std::generic_category()};
  text.resize(bytes);
  file.read(text.data(), static_cast<std::streamsize>(bytes));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return file.bad() ? std::make_error_code(std::errc::io_error) : std::error_code();
}

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

/// Takes the lines off `text`, which has `columns` columns, up to the one that is the checkpoint's last.
[[nodiscard]] EarlierLines take_lines(std::string_view text, std::size_t columns,
                                      const CsvPosition& position) {
  EarlierLines earlier;
  if (position.lines == 0) return earlier;
  const auto wanted = static_cast<std::size_t>(position.lines);
  std::optional<std::size_t> last;
  for (std::size_t end; earlier.lines.size() < wanted && (end = text.find('\n')) != text.npos;
       text.remove_prefix(end + 1)) {
    std::string_view line = text.substr(0, end + 1);
    auto cells = take_csv_line(line);
    if (!cells || cells->size() != columns || !is_line_of_metrics(*cells)) {
      earlier.fault = "has lines that cannot be read";
      earlier.is_foreign = true;
      continue;
    }
    cells->resize(position.columns.size());
    if (completes(*cells, position.last_line)) last = earlier.lines.size();
    earlier.lines.push_back(csv_line(*cells));
  }
  if (!last && earlier.lines.size() == wanted) {
    last = wanted - 1;
    earlier.fault = fmt::format("has another line {} than the checkpoint", wanted);
    earlier.is_foreign = true;
  }
  if (last) earlier.lines.resize(*last);
  return earlier;
}

[[nodiscard]] EarlierLines earlier_lines(const fs::path& from, const std::optional<CsvPosition>& position) {
  std::string text;
  if (const std::error_code error = read_text(from, text); error == std::errc::no_such_file_or_directory) {
    return {.lines = {}, .fault = "is not there"};
  } else if (error) {
    return {.lines = {}, .fault = "cannot be read (" + error.message() + ")", .is_foreign = true};
  }
  if (text.empty()) return {.lines = {}, .fault = "is empty"};
  if (!position) return {.lines = {}, .fault = "is not known to the checkpoint", .is_foreign = true};
  std::string_view rest = text;
  const auto columns = take_csv_line(rest);
  if (!columns || !begins_alike(*columns, position->columns))
    return {.lines = {}, .fault = "has other columns than at the checkpoint", .is_foreign = true};
  return take_lines(rest, columns->size(), *position);
}

/// Gives the file a second name that no other has, and answers it.
[[nodiscard]] fs::path keep_aside(const fs::path& path) {
  for (int number = 1;; ++number) {
    fs::path aside = fmt::format("{}.{}", path.string(), number);
    std::error_code error;
    fs::create_hard_link(path, aside, error);
    // Not every file system has links.
    if (error && error != std::errc::file_exists) fs::copy_file(path, aside, error);
    if (!error) return aside;
    if (error != std::errc::file_exists)
      throw RunError(fmt::format("cannot keep {} as {}: {}", path.string(), aside.string(), error.message()));
  }
}

/// Answers where the last line is.
int64_t write_csv(const fs::path& path, const CsvPosition& position, const std::vector<std::string>& lines) {
  int64_t last_line_start = 0;
  support::write_file_atomically(path, [&](std::ostream& stream) {
    const std::string header = csv_line(position.columns);
    stream << header;
    last_line_start = std::ssize(header);
    for (const std::string& line : lines) {
      stream << line;
      last_line_start += std::ssize(line);
    }
    if (position.lines > 0) stream << csv_line(position.last_line);
  });
  return last_line_start;
}

/// @param missing lines, of the `known` ones
[[nodiscard]] std::string warning_text(const fs::path& from, const EarlierLines& earlier,
                                       const fs::path& kept_as, int64_t missing, int64_t known) {
  if (missing == 0 && !earlier.is_foreign) return "";
  const std::string lines = fmt::format("{} of the {} lines until the checkpoint", missing, known);
  if (earlier.fault.empty()) return fmt::format("{} lacks {}", from.string(), lines);
  std::string text = fmt::format("{} {}", from.string(), earlier.fault);
  if (!kept_as.empty()) text += fmt::format(" and is kept as {}", kept_as.filename().string());
  if (missing > 0) text += fmt::format(": {} {} lost", lines, missing == 1 ? "is" : "are");
  return text;
}

}  // namespace

ResumedCsv resume_csv(const fs::path& path, const LoggerState& state, const fs::path& from) {
  const std::optional<CsvPosition> known = position_of(state);
  const EarlierLines earlier = earlier_lines(from, known);
  const CsvPosition position =
      known.value_or(CsvPosition{.columns = fixed_columns(), .lines = 0, .last_line = {}});
  const fs::path kept_as = earlier.is_foreign && is_same_file(path, from) ? keep_aside(path) : fs::path();
  const int64_t lines = position.lines == 0 ? 0 : std::ssize(earlier.lines) + 1;
  const int64_t last_line_start = write_csv(path, position, earlier.lines);
  return {.position = {.columns = position.columns, .lines = lines, .last_line = position.last_line},
          .last_line_start = last_line_start,
          .warning = warning_text(from, earlier, kept_as, position.lines - lines, position.lines)};
}

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  return a == b || fs::equivalent(a, b, ignored);
}

}  // namespace lightrun::loggers
