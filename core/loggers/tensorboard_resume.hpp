#pragma once

#include "loggers/logger.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lightrun::loggers {

/// How far the event files of a run are.
struct EventPosition {
  struct File {
    std::string name;
    int64_t bytes = 0;  ///< of whole records
  };
  std::vector<File> files;  ///< one a process that has written, in this order
  int64_t next_step = 0;    ///< the highest step of them, and one
};

/// As a checkpoint keeps it: `files`, a line "<bytes> <name>" each, and `next_step`.
[[nodiscard]] LoggerState to_state(const EventPosition& position);

/// The position that to_state() was given; nothing where `state` is not of event files.
[[nodiscard]] std::optional<EventPosition> event_position_of(const LoggerState& state);

struct ResumedEvents {
  EventPosition position;  ///< as far as the files go
  std::string warning;     ///< what was wrong with them, with a path; empty: nothing
};

/// Makes the event files in `folder` what those in `from` were at `state`. In the same folder: each is cut
/// back, and those that processes of this run began later are removed; what lightrun has not written stays.
/// In another folder they are copied, under their names, and stay as they are.
///
/// Throws RunError, naming the path, where a file cannot be written. One with records missing, or that is not
/// there, is no error: the warning says so.
[[nodiscard]] ResumedEvents resume_events(const std::filesystem::path& folder, const LoggerState& state,
                                          const std::filesystem::path& from);

[[nodiscard]] bool has_event_files(const std::filesystem::path& folder);

/// "events.out.tfevents.<seconds>.<host>.<pid>.<number>": TensorBoard reads the files of a folder in the
/// order of their names. `seconds` is 1 more than the highest in `folder` where it is not above that.
[[nodiscard]] std::string event_file_name(const std::filesystem::path& folder, int64_t seconds, int number);

}  // namespace lightrun::loggers
