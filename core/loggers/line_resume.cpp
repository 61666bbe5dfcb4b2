#include "loggers/line_resume.hpp"

#include <lightrun/error.hpp>

#include "support/atomic_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstddef>
#include <fstream>
#include <system_error>
#include <vector>

namespace lightrun::loggers {
namespace {

namespace fs = std::filesystem;

/// What a file has of the lines before the last one that a checkpoint knows of.
struct EarlierLines {
  std::vector<std::string> lines;  // as they were at the checkpoint
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

/// Takes the lines off `text` up to the one that is the checkpoint's last, of `wanted`.
[[nodiscard]] EarlierLines take_lines(std::string_view text, std::size_t wanted, const LineReader& reader) {
  EarlierLines earlier;
  if (wanted == 0) return earlier;
  std::optional<std::size_t> last;
  for (std::size_t end; earlier.lines.size() < wanted && (end = text.find('\n')) != text.npos;
       text.remove_prefix(end + 1)) {
    auto line = reader.line_then(text.substr(0, end + 1));
    if (!line) {
      earlier.fault = "has lines that cannot be read";
      earlier.is_foreign = true;
      continue;
    }
    if (reader.completes_last(*line)) last = earlier.lines.size();
    earlier.lines.push_back(std::move(*line));
  }
  if (!last && earlier.lines.size() == wanted) {
    last = wanted - 1;
    earlier.fault = fmt::format("has another line {} than the checkpoint", wanted);
    earlier.is_foreign = true;
  }
  if (last) earlier.lines.resize(*last);
  return earlier;
}

[[nodiscard]] EarlierLines earlier_lines(const fs::path& from, int64_t wanted, bool is_known,
                                         const LineReader& reader) {
  std::string text;
  if (const std::error_code error = read_text(from, text); error == std::errc::no_such_file_or_directory) {
    return {.lines = {}, .fault = "is not there"};
  } else if (error) {
    return {.lines = {}, .fault = "cannot be read (" + error.message() + ")", .is_foreign = true};
  }
  if (text.empty()) return {.lines = {}, .fault = "is empty"};
  if (!is_known) return {.lines = {}, .fault = "is not known to the checkpoint", .is_foreign = true};
  std::string_view rest = text;
  if (!reader.take_header(rest))
    return {.lines = {}, .fault = "has other columns than at the checkpoint", .is_foreign = true};
  return take_lines(rest, static_cast<std::size_t>(wanted), reader);
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
int64_t write_lines(const fs::path& path, const LinePosition& position,
                    const std::vector<std::string>& lines) {
  int64_t last_line_start = 0;
  support::write_file_atomically(path, [&](std::ostream& stream) {
    stream << position.header;
    last_line_start = std::ssize(position.header);
    for (const std::string& line : lines) {
      stream << line;
      last_line_start += std::ssize(line);
    }
    if (position.lines > 0) stream << position.last_line;
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

ResumedLines resume_lines(const fs::path& path, const fs::path& from, const LinePosition& position,
                          bool is_known, const LineReader& reader) {
  const EarlierLines earlier = earlier_lines(from, position.lines, is_known, reader);
  const fs::path kept_as = earlier.is_foreign && is_same_file(path, from) ? keep_aside(path) : fs::path();
  const int64_t lines = position.lines == 0 ? 0 : std::ssize(earlier.lines) + 1;
  const int64_t last_line_start = write_lines(path, position, earlier.lines);
  return {.lines = lines,
          .last_line_start = last_line_start,
          .warning = warning_text(from, earlier, kept_as, position.lines - lines, position.lines)};
}

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  return a == b || fs::equivalent(a, b, ignored);
}

}  // namespace lightrun::loggers
