#pragma once

#include "engine/run.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace lightrun::engine {

/// run.json in the run's folder: what was run, with what, and how it ended; for reports and other programs.
/// Written when the run begins and when it ends: of a process that was killed it stays as "running".
class RunRecord {
 public:
  /// @param command the words after `lightrun`
  explicit RunRecord(std::vector<std::string> command) : command_(std::move(command)) {}

  /// Replaces the file. Does nothing for a run without a folder. Throws RunError where it cannot.
  /// @param status running, complete, stopped (by a signal) or failed
  /// @param reason why it ended
  void write(const Run& run, std::string_view status, const std::string& reason = "") const;

 private:
  std::vector<std::string> command_;
  std::chrono::system_clock::time_point started_ = std::chrono::system_clock::now();
};

}  // namespace lightrun::engine
