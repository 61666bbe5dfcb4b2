#pragma once

#include <lightrun/batch.hpp>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace lightrun::data {

/// Reads batches ahead on threads of its own, and hands them out in order.
class Prefetcher {
 public:
  /// Reads the batch of that number. Called by all threads at once, in any order.
  using Read = std::function<Batch(int64_t number)>;

  struct Extent {
    int64_t first = 0;    ///< number of the first batch
    int64_t end = 0;      ///< ... behind the last one
    int64_t threads = 1;  ///< at least 1; no more are started than there are batches
    int64_t ahead = 1;    ///< batches, at least 1, that are read or being read and not handed out yet
  };

  /// Throws RunError where a thread cannot be started.
  Prefetcher(Read read, const Extent& extent);
  /// Waits for the batches that are being read, and begins no other.
  ~Prefetcher();
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  /// The next batch, of which there must be one. What reading it has thrown is thrown here, at its place; the
  /// batches after it can still be asked for.
  [[nodiscard]] Batch next();

 private:
  struct Slot {
    bool is_filled = false;
    Batch batch;
    std::exception_ptr error;
  };

  void work(const std::stop_token& stop);
  [[nodiscard]] Slot read_into_slot(int64_t number) const;
  [[nodiscard]] Slot& slot_of(int64_t number);

  const Read read_;
  const int64_t end_;
  std::mutex mutex_;
  std::condition_variable_any room_;   ///< a slot has become free
  std::condition_variable arrived_;    ///< the batch that is next has
  std::vector<Slot> slots_;            ///< batch n is in slot n modulo their number
  int64_t started_;                    ///< the number of the next batch to read
  int64_t taken_;                      ///< ... to hand out
  std::vector<std::jthread> threads_;  ///< last: they use the others
};

}  // namespace lightrun::data
