#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

namespace lightrun::support {

class LinePrinter;

/// Refreshes a printer's status line a few times a second as long as it lives, whatever the run's own thread
/// is busy with. Without a terminal there is no thread.
class RefreshThread {
 public:
  /// The printer outlives it.
  explicit RefreshThread(LinePrinter& printer);
  ~RefreshThread();
  RefreshThread(const RefreshThread&) = delete;
  RefreshThread& operator=(const RefreshThread&) = delete;

 private:
  void work();

  LinePrinter& printer_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace lightrun::support
