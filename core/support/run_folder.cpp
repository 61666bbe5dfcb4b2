#include "support/run_folder.hpp"

#include "support/atomic_file.hpp"
#include "support/file_descriptor.hpp"

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <system_error>

namespace lightrun::support {
namespace {

namespace fs = std::filesystem;

[[nodiscard]] std::optional<int64_t> run_number(const std::string& name) {
  int64_t number = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data(), end, number);
  if (error != std::errc{} || stop != end || number < 0) return std::nullopt;
  return number;
}

[[nodiscard]] int64_t next_number(const fs::path& parent) {
  std::error_code error;
  int64_t next = 0;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error))
    if (const auto number = run_number(entry->path().filename().string())) next = std::max(next, *number + 1);
  if (error) throw_file_error("read folder", parent, error.value());
  return next;
}

/// Answers why it could not be done, or nothing.
[[nodiscard]] std::string point_latest(const fs::path& parent, const std::string& number) {
  const fs::path link = parent / "latest";
  const auto failure = [&link](int error) {
    return fmt::format("cannot link {}: {}", link.string(), errno_text(error));
  };
  struct stat status = {};
  if (::lstat(link.c_str(), &status) == 0 && !S_ISLNK(status.st_mode))
    return fmt::format("cannot link {}: there is a file of that name", link.string());
  // The number is ours alone, so the temporary is too.
  const fs::path temporary = fmt::format("{}-{}", temporary_path(link, ::getpid()).string(), number);
  if (::symlink(number.c_str(), temporary.c_str()) != 0) return failure(errno);
  if (::rename(temporary.c_str(), link.c_str()) == 0) return {};
  const int error = errno;
  ::unlink(temporary.c_str());
  return failure(error);
}

}  // namespace

RunFolder make_run_folder(const fs::path& dir, std::string_view name) {
  const fs::path parent = dir / name;
  std::error_code error;
  fs::create_directories(parent, error);
  if (error) throw_file_error("make folder", parent, error.value());
  for (int64_t number = next_number(parent);; ++number) {
    const std::string text = std::to_string(number);
    const fs::path path = parent / text;
    // mkdir succeeds for one process only: the loser takes the next number.
    if (::mkdir(path.c_str(), 0777) == 0) return {.path = path, .warning = point_latest(parent, text)};
    if (errno != EEXIST) throw_file_error("make folder", path, errno);
  }
}

}  // namespace lightrun::support
