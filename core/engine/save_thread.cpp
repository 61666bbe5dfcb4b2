#include "engine/save_thread.hpp"

#include "support/signals.hpp"

#include <lightrun/error.hpp>

#include <spdlog/fmt/fmt.h>

#include <pthread.h>

#include <utility>

namespace lightrun::engine {
SaveThread::SaveThread(std::string run_id) : run_id_(std::move(run_id)) {}

SaveThread::~SaveThread() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void SaveThread::save(state::CheckpointFile instant, std::vector<File> files) {
  std::unique_lock lock(mutex_);
  wait_and_rethrow(lock);
  snapshot_.begin(instant.tensors);
  metadata_ = std::move(instant.metadata);
  files_ = std::move(files);
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  lock.unlock();
  changed_.notify_all();
  snapshot_.copy();
}

void SaveThread::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !files_; });
}

void SaveThread::finish() {
  std::unique_lock lock(mutex_);
  wait_and_rethrow(lock);
}

bool SaveThread::has_failed() {
  const std::lock_guard lock(mutex_);
  return failure_ != nullptr;
}

std::vector<std::string> SaveThread::take_notes() {
  const std::lock_guard lock(mutex_);
  return std::exchange(notes_, {});
}

void SaveThread::wait_and_rethrow(std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock, [this] { return !files_; });
  if (const auto failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
}

void SaveThread::work() {
  support::block_signals();
  ::pthread_setname_np(::pthread_self(), "checkpoints");
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return files_ || ends_; });
    if (!files_) return;
    lock.unlock();
    snapshot_.copy();
    std::exception_ptr failure;
    try {
      write(*files_);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    failure_ = failure;
    files_.reset();
    changed_.notify_all();
  }
}

void SaveThread::write(const std::vector<File>& files) {
  const state::CheckpointFile instant{.tensors = snapshot_.tensors(), .metadata = metadata_};
  for (const File& file : files) state::write_checkpoint(file.path, instant);
  for (const File& file : files) {
    for (const auto& replaced : file.replaces) remove(replaced);
  }
}

/// Only what this run has written: a file of that name may have come from elsewhere meanwhile.
void SaveThread::remove(const std::filesystem::path& path) {
  std::string note;
  std::error_code error;
  try {
    if (!std::filesystem::exists(path, error)) return;
    if (state::read_checkpoint_head(path).run_id != run_id_) {
      note = "kept " + path.string() + ": it is not of this run";
    } else if (std::filesystem::remove(path, error)) {
      note = "deleted " + path.string() + ": it is no longer one of those to keep";
    } else {
      note = fmt::format("could not delete {}: {}", path.string(), error.message());
    }
  } catch (const Error& unreadable) {
    note = std::string("kept a file that was to be deleted: ") + unreadable.what();
  }
  const std::lock_guard lock(mutex_);
  notes_.push_back(std::move(note));
}

}  // namespace lightrun::engine
