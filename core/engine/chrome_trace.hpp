#pragma once

#include "support/file_descriptor.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace lightrun::engine {

/// Now. Of one thread's answers each is later than the one before it, by a nanosecond at least, so that what
/// began inside something else also ends inside it.
[[nodiscard]] std::chrono::steady_clock::time_point tick();

/// Writes what ran when to a file in Chrome's trace event format, which Perfetto (ui.perfetto.dev) and
/// chrome://tracing open: a JSON array of complete events, each where it ended,
///   {"name":"backward","cat":"hook","ph":"X","ts":1520.125,"dur":31.002,"pid":71,"tid":71}
/// and of metadata events with the names of the process and its threads. `ts` and `dur` are microseconds with
/// three digits behind the point; `ts` counts from the moment this object was made.
///
/// The file is whole JSON at every moment: each write closes the array, and the next one begins at the
/// bracket. A process that is killed loses what it had not written, a second or two. (Killed in the middle of
/// a write it can leave the array open, which Perfetto reads all the same.) A file that cannot be written
/// ends with what it has; that is warned about once, and nothing is thrown.
///
/// add() may be called on any thread, everything else on the one that made the object.
class ChromeTrace {
 public:
  using Time = std::chrono::steady_clock::time_point;

  enum class Category { hook, op };

  /// How many events of each category are written, the first ones: 100 bytes or so each.
  struct Limits {
    int64_t hooks = 500'000;
    int64_t operators = 500'000;
  };

  /// Makes `profile.json` in `folder`, or where processes before this one have left some, `profile-2.json`
  /// and so on.
  ChromeTrace(const std::filesystem::path& folder, Limits limits);
  explicit ChromeTrace(const std::filesystem::path& folder) : ChromeTrace(folder, Limits()) {}
  ~ChromeTrace() { close(); }
  ChromeTrace(const ChromeTrace&) = delete;
  ChromeTrace& operator=(const ChromeTrace&) = delete;

  /// Something that ran on the calling thread; both times are from tick().
  void add(Category category, std::string_view name, Time start, Time end);

  /// Whether events of this category are still written.
  [[nodiscard]] bool takes(Category category);

  /// Writes what has come together, if it is much or the last write was a second ago.
  void write_if_due();

  /// Writes what is left; later events are left out.
  void close();

  /// For the user: the file, what opens it, and what it has no room for. Nothing where it could not be
  /// written.
  [[nodiscard]] std::optional<std::string> summary();

 private:
  void make_file(const std::filesystem::path& folder);
  void write();
  void fail(int error);
  void name_thread(int tid);
  [[nodiscard]] int64_t limit(Category category) const;

  Limits limits_;
  Time start_ = tick();
  std::filesystem::path path_;
  support::FileDescriptor file_;
  int64_t end_ = 0;  ///< of the events in the file, where the array is closed
  Time written_at_ = start_;
  std::string writing_;
  bool failed_ = false;

  std::mutex mutex_;  ///< of what follows
  std::string pending_;
  std::unordered_set<int> named_threads_;
  std::array<int64_t, 2> seen_ = {};  ///< events of each category
  bool is_open_ = false;
};

}  // namespace lightrun::engine
