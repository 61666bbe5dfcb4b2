#pragma once

#include "engine/snapshot.hpp"
#include "state/checkpoint.hpp"

#include <condition_variable>
#include <exception>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace lightrun::engine {

/// Writes checkpoints while training goes on, one instant at a time: save() copies the tensors, together with
/// the thread, and comes back; it waits first where the instant before is still being written. Used from one
/// thread.
class SaveThread {
 public:
  /// A file to be written, and those beside it that go once it is.
  struct File {
    std::filesystem::path path;
    std::vector<std::filesystem::path> replaces = {};
  };

  /// @param run_id only files of this run are ever deleted
  explicit SaveThread(std::string run_id);
  /// Waits for what is being written.
  ~SaveThread();
  SaveThread(const SaveThread&) = delete;
  SaveThread& operator=(const SaveThread&) = delete;

  /// Writes the same instant to each of `files`, in this order. Throws what the save before has failed with;
  /// then nothing of this one is done.
  void save(state::CheckpointFile instant, std::vector<File> files);

  /// Waits until nothing is being written.
  void wait();

  /// Waits until all is written. Throws RunError where it could not be.
  void finish();

  /// Whether a save has failed since the last save() or finish(), which then throw.
  [[nodiscard]] bool has_failed();

  /// What was done beside writing, for the log ("deleted .../a.ckpt: ..."); each once.
  [[nodiscard]] std::vector<std::string> take_notes();

 private:
  void work();
  void write(const std::vector<File>& files);
  void remove(const std::filesystem::path& path);
  void wait_and_rethrow(std::unique_lock<std::mutex>& lock);

  std::string run_id_;
  Snapshot snapshot_;  ///< the worker's too while `files_` is set, as is:
  state::Texts metadata_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::vector<File>> files_;  ///< to be written
  std::exception_ptr failure_;
  std::vector<std::string> notes_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace lightrun::engine
