#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace lightrun::loggers {

/// How far a file of lines was at a checkpoint.
struct LinePosition {
  std::string header;     ///< what comes before the lines, with its newline; "" of a kind that has none
  int64_t lines = 0;      ///< of metrics
  std::string last_line;  ///< the last of them, with its newline
};

/// How a file of its kind is read.
struct LineReader {
  /// Takes off `text` what comes before the lines. False: it is another one than at the checkpoint.
  std::function<bool(std::string_view& text)> take_header;
  /// A line, with its newline, as it was at the checkpoint but for the last; nothing: it cannot be read.
  std::function<std::optional<std::string>(std::string_view line)> line_then;
  /// Whether later calls may have made the line, as line_then() answers it, of the checkpoint's last.
  std::function<bool(std::string_view line)> completes_last;
};

/// A file of lines that is back where it was at a checkpoint.
struct ResumedLines {
  int64_t lines = 0;            ///< the last one included
  int64_t last_line_start = 0;  ///< where in the file the last line is, or without lines the first one comes
  std::string warning;          ///< what was wrong with the earlier file, with its path; empty: nothing
};

/// Makes `path` what `from` was at the checkpoint. `from` is the same path, or an earlier run's file, which
/// stays as it is. The file is replaced by a renamed one: a kill at any moment leaves the old or the new one.
///
/// A file with lines missing, or that is not there, is no error: the warning says so. What fits is taken
/// over, the last line at least. Where `from` is `path` and has something that the checkpoint cannot know
/// (another header, another line in the last one's place, lines that cannot be read, or anything where
/// `is_known` is false), it is kept as `<path>.1`, or the next number that is free.
///
/// @param is_known whether the checkpoint knows the file; false: `position` has the header of a new one
/// Throws RunError, naming the path, where the file cannot be written.
[[nodiscard]] ResumedLines resume_lines(const std::filesystem::path& path, const std::filesystem::path& from,
                                        const LinePosition& position, bool is_known,
                                        const LineReader& reader);

/// Whether both are the same file, or will be.
[[nodiscard]] bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace lightrun::loggers
