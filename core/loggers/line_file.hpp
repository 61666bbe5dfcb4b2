#pragma once

#include "support/file_descriptor.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>

namespace lightrun::loggers {

/// A file of lines whose last one may still change. What was written has been given to the system when a call
/// returns: a process that is killed loses none of it.
///
/// A process that is killed leaves whole lines: a last line that changes is written over where what differs
/// lies within one page of memory, else the file is replaced by a renamed one. (A new line over a page's end
/// is the one exception, for the moment between two pages: then the file ends with a part of it, without its
/// newline.) A call that throws leaves the file as it was.
class LineFile {
 public:
  /// Makes the file. Throws RunError, naming the path, where it cannot or where there is something in it
  /// already.
  [[nodiscard]] static LineFile make(std::filesystem::path path);

  /// Takes up a file that ends with `last_line` (as text, with its newline) from byte `last_line_start` on.
  [[nodiscard]] static LineFile take_up(std::filesystem::path path, int64_t last_line_start,
                                        std::string last_line);

  /// Adds a line, with its newline. Throws RunError, naming the path.
  void append(const std::string& line);

  /// Makes the last line another one, which must not be shorter. Throws RunError, naming the path.
  void change_last(const std::string& line);

  /// Puts a new file in the place of this one, under the same name: what `write_earlier` writes, then
  /// `last_line`. It gets this file as a stream, and answers how many bytes it has written, or -1 where the
  /// file is not as it was left. Throws RunError, naming the path.
  using WriteEarlier = std::function<int64_t(std::istream& earlier, std::ostream& stream)>;
  void replace(const WriteEarlier& write_earlier, const std::string& last_line);

  /// Syncs the file to the disk and closes it. Throws RunError, naming the path.
  void close();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const std::string& last_line() const { return last_line_; }
  [[nodiscard]] int64_t last_line_start() const { return last_line_start_; }
  [[nodiscard]] int64_t end() const { return last_line_start_ + std::ssize(last_line_); }

 private:
  explicit LineFile(std::filesystem::path path) : path_(std::move(path)) {}
  void open(int flags);
  void restore();

  std::filesystem::path path_;
  support::FileDescriptor file_;
  std::string last_line_;
  int64_t last_line_start_ = 0;
};

}  // namespace lightrun::loggers
