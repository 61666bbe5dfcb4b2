#pragma once

#include "support/file_descriptor.hpp"

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace lightrun::support {

/// Holds a run's folder for this process while it lives, so that no two runs write the same files: by a lock
/// (flock) on the file `run.lock` in the folder, whose one line says who has it since when. The lock goes
/// with the process, however that ends: what a killed one left never blocks the next. Programs that this
/// process starts do not have it, and the end of a forked child does not give it back.
class RunLock {
 public:
  /// Throws RunError where another RunLock, of any process on any host, holds `folder`: it names the holder
  /// and what to do; and where `run.lock` cannot be written, with its path and the system's reason.
  explicit RunLock(const std::filesystem::path& folder);
  RunLock(RunLock&& other) noexcept = default;
  RunLock& operator=(RunLock&& other) noexcept;
  /// Gives the folder back. `run.lock` stays, empty: were it removed, one process could lock the old file
  /// while another locks a new one.
  ~RunLock();

  /// Why the folder is not held after all: its file system has no locks. Empty: it is held.
  [[nodiscard]] const std::string& warning() const { return warning_; }

 private:
  void release() noexcept;

  FileDescriptor file_;
  pid_t holder_;
  std::string warning_;
};

}  // namespace lightrun::support
