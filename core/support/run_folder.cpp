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
#include <functional>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

namespace lightrun::support {
namespace {

namespace fs = std::filesystem;

[[nodiscard]] std::optional<int64_t> run_number(const fs::path& entry) {
  const std::string name = entry.filename().string();
  int64_t number = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data(), end, number);
  // The very highest has no next one.
  const bool is_number =
      error == std::errc{} && stop == end && number >= 0 && number < std::numeric_limits<int64_t>::max();
  return is_number ? std::optional(number) : std::nullopt;
}

/// The paths of all that is in `folder`; none where it does not exist.
[[nodiscard]] std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    entries.push_back(entry->path());
  if (error && error != std::errc::no_such_file_or_directory)
    throw_file_error("read folder", folder, error.value());
  return entries;
}

[[nodiscard]] int64_t next_number(const fs::path& parent) {
  int64_t next = 0;
  for (const fs::path& entry : entries_of(parent))
    if (const auto number = run_number(entry)) next = std::max(next, *number + 1);
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

/// Whether there is anything of that name, be it a link to nothing.
[[nodiscard]] bool is_there(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (error && status.type() != fs::file_type::not_found) throw_file_error("read", path, error.value());
  return fs::exists(status);
}

[[nodiscard]] bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

[[nodiscard]] bool is_plain_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(fs::symlink_status(path, ignored));
}

}  // namespace

RunFolder make_run_folder(const fs::path& dir, std::string_view name) {
  const fs::path parent = dir / name;
  make_fixed_run_folder(parent);
  for (int64_t number = next_number(parent);; ++number) {
    const std::string text = std::to_string(number);
    const fs::path path = parent / text;
    // mkdir succeeds for one process only: the loser takes the next number.
    if (::mkdir(path.c_str(), 0777) == 0) return {.path = path, .warning = point_latest(parent, text)};
    if (errno != EEXIST) throw_file_error("make folder", path, errno);
  }
}

void make_fixed_run_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw_file_error("make folder", path, error.value());
}

std::vector<fs::path> run_folders(const fs::path& dir, std::string_view name) {
  std::vector<std::pair<int64_t, fs::path>> runs;
  for (const fs::path& entry : entries_of(dir / name)) {
    const std::optional<int64_t> number = run_number(entry);
    if (number && is_folder(entry)) runs.emplace_back(*number, entry);
  }
  std::ranges::sort(runs, std::greater{});
  std::vector<fs::path> folders;
  for (auto& [number, path] : runs) folders.push_back(std::move(path));
  return folders;
}

bool holds_a_run(const fs::path& folder) {
  for (const char* const name : {"config.yaml", "metrics.csv", "log.txt"})
    if (is_there(folder / name)) return true;
  const std::vector<fs::path> checkpoints = entries_of(folder / "checkpoints");
  return std::any_of(checkpoints.begin(), checkpoints.end(), [](const fs::path& entry) {
    return !is_temporary_file(entry.filename().string()) && !is_folder(entry);
  });
}

std::vector<std::string> sweep_temporaries(const fs::path& folder) {
  std::vector<std::string> swept;
  for (const fs::path& entry : entries_of(folder)) {
    const std::string name = entry.filename().string();
    if (is_temporary_file(name) && is_plain_file(entry) && ::unlink(entry.c_str()) == 0)
      swept.push_back(name);
  }
  std::sort(swept.begin(), swept.end());
  return swept;
}

}  // namespace lightrun::support
