#include "loggers/tensorboard_resume.hpp"

#include "loggers/event_record.hpp"
#include "loggers/line_resume.hpp"
#include "support/atomic_file.hpp"
#include "support/file_descriptor.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

namespace lightrun::loggers {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "events.out.tfevents.";
constexpr auto kFiles = "files";
constexpr auto kNextStep = "next_step";

template <typename Visit>
void for_each_event_file(const fs::path& folder, Visit&& visit) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().filename().string().starts_with(kPrefix)) visit(entry->path());
}

/// Of "events.out.tfevents.<seconds>..."; 0 of another name.
[[nodiscard]] int64_t seconds_in(const std::string& name) {
  int64_t seconds = 0;
  std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), seconds);
  return seconds;
}

/// Where the whole records among the first `bytes` of the file end; 0 where it cannot be read.
[[nodiscard]] int64_t whole_bytes(const fs::path& path, int64_t bytes) {
  std::ifstream stream(path, std::ios::binary);
  return stream ? whole_records_end(stream, bytes) : 0;
}

void copy_beginning(const fs::path& from, const fs::path& to, int64_t bytes) {
  support::write_file_atomically(to, [&](std::ostream& stream) {
    std::ifstream source(from, std::ios::binary);
    std::array<char, 1 << 16> buffer;
    for (int64_t left = bytes; left > 0 && source; left -= source.gcount()) {
      source.read(buffer.data(), std::min<int64_t>(left, std::ssize(buffer)));
      stream.write(buffer.data(), source.gcount());
    }
  });
}

/// Those that a process began after the checkpoint.
void remove_later_files(const fs::path& folder, const std::vector<EventPosition::File>& known) {
  std::vector<fs::path> later;
  for_each_event_file(folder, [&](const fs::path& path) {
    const std::string name = path.filename().string();
    std::ifstream stream(path, std::ios::binary);
    const bool is_known =
        std::ranges::any_of(known, [&](const EventPosition::File& file) { return file.name == name; });
    if (!is_known && begins_like_ours(stream)) later.push_back(path);
  });
  for (const fs::path& path : later)
    if (::unlink(path.c_str()) != 0) support::throw_file_error("remove", path, errno);
}

[[nodiscard]] std::string host() {
  std::array<char, 256> name = {};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "localhost";
  std::string text = name.data();
  std::ranges::replace(text, '/', '_');
  return text;
}

}  // namespace

LoggerState to_state(const EventPosition& position) {
  std::string files;
  for (const auto& [name, bytes] : position.files) files += fmt::format("{} {}\n", bytes, name);
  return {{kFiles, files}, {kNextStep, std::to_string(position.next_step)}};
}

std::optional<EventPosition> event_position_of(const LoggerState& state) {
  const auto files = state.find(kFiles);
  const auto next_step = state.find(kNextStep);
  if (files == state.end() || next_step == state.end()) return std::nullopt;
  EventPosition position;
  std::istringstream step(next_step->second);
  if (!(step >> position.next_step)) return std::nullopt;
  std::istringstream lines(files->second);
  for (EventPosition::File file;
       lines >> file.bytes && lines.get() == ' ' && std::getline(lines, file.name);) {
    // A name, no path: a checkpoint may come from anywhere.
    if (!file.name.starts_with(kPrefix) || file.name.find('/') != file.name.npos) return std::nullopt;
    position.files.push_back(file);
  }
  return lines.eof() ? std::optional(position) : std::nullopt;
}

ResumedEvents resume_events(const fs::path& folder, const LoggerState& state, const fs::path& from) {
  const EventPosition known = event_position_of(state).value_or(EventPosition());
  ResumedEvents resumed{.position = {.files = {}, .next_step = known.next_step}, .warning = {}};
  const bool is_same = is_same_file(folder, from);
  for (const auto& [name, bytes] : known.files) {
    const int64_t whole = whole_bytes(from / name, bytes);
    if (whole != bytes)
      resumed.warning = fmt::format("{} lacks {} of the {} bytes until the checkpoint",
                                    (from / name).string(), bytes - whole, bytes);
    if (whole == 0) continue;
    if (!is_same) {
      copy_beginning(from / name, folder / name, whole);
    } else if (::truncate((folder / name).c_str(), whole) != 0) {
      support::throw_file_error("write", folder / name, errno);
    }
    resumed.position.files.push_back({name, whole});
  }
  if (is_same) remove_later_files(folder, known.files);
  return resumed;
}

bool has_event_files(const fs::path& folder) {
  bool has = false;
  for_each_event_file(folder, [&](const fs::path& /*path*/) { has = true; });
  return has;
}

std::string event_file_name(const fs::path& folder, int64_t seconds, int number) {
  for_each_event_file(folder, [&](const fs::path& path) {
    seconds = std::max(seconds, seconds_in(path.filename().string()) + 1);
  });
  return fmt::format("{}{:010}.{}.{}.{}", kPrefix, seconds, host(), ::getpid(), number);
}

}  // namespace lightrun::loggers
