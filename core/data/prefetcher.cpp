#include "data/prefetcher.hpp"

#include "support/signals.hpp"

#include <lightrun/error.hpp>

#include <ATen/Parallel.h>
#include <spdlog/fmt/fmt.h>

#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

namespace lightrun::data {
namespace {

/// LibTorch does all of this thread's work on this thread: those beside it are the parallel part.
/// at::set_num_threads() would be for all threads, the loop's too.
void use_no_other_threads() {
  using SetThreads = void (*)(int);
  static_cast<void>(at::get_num_threads());  // sets the number that the process has, once a thread
  static const auto set_threads = reinterpret_cast<SetThreads>(::dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  if (set_threads != nullptr) set_threads(1);
}

}  // namespace

Prefetcher::Prefetcher(Read read, const Extent& extent)
    : read_(std::move(read)), end_(extent.end), started_(extent.first), taken_(extent.first) {
  const int64_t batches = extent.end - extent.first;
  slots_.resize(
      static_cast<std::size_t>(std::clamp<int64_t>(extent.ahead, 1, std::max<int64_t>(batches, 1))));
  const int64_t threads = std::min(extent.threads, batches);
  threads_.reserve(static_cast<std::size_t>(threads));
  for (int64_t i = 0; i < threads; ++i) {
    try {
      threads_.emplace_back([this, name = fmt::format("data {}", i)](const std::stop_token& stop) {
        support::block_signals();
        ::pthread_setname_np(::pthread_self(), name.c_str());
        work(stop);
      });
    } catch (const std::system_error& error) {
      throw RunError(fmt::format("data.workers: only {} of {} threads could be started ({}); ask for fewer",
                                 i, threads, error.code().message()));
    }
  }
}

Prefetcher::~Prefetcher() {
  for (std::jthread& thread : threads_) thread.request_stop();
}

Prefetcher::Slot& Prefetcher::slot_of(int64_t number) {
  return slots_[static_cast<std::size_t>(number) % slots_.size()];
}

Prefetcher::Slot Prefetcher::read_into_slot(int64_t number) const {
  Slot slot{.is_filled = true, .batch = {}, .error = nullptr};
  try {
    slot.batch = read_(number);
  } catch (...) {
    slot.error = std::current_exception();
  }
  return slot;
}

void Prefetcher::work(const std::stop_token& stop) {
  use_no_other_threads();
  const auto has_room = [this] {
    return started_ == end_ || started_ - taken_ < static_cast<int64_t>(slots_.size());
  };
  std::unique_lock lock(mutex_);
  while (room_.wait(lock, stop, has_room) && !stop.stop_requested() && started_ < end_) {
    const int64_t number = started_++;
    lock.unlock();
    Slot filled = read_into_slot(number);
    lock.lock();
    slot_of(number) = std::move(filled);
    if (number == taken_) arrived_.notify_one();
  }
}

Batch Prefetcher::next() {
  std::unique_lock lock(mutex_);
  Slot& slot = slot_of(taken_);
  arrived_.wait(lock, [&] { return slot.is_filled; });
  Slot taken = std::exchange(slot, {});
  ++taken_;
  lock.unlock();
  room_.notify_one();
  if (taken.error) std::rethrow_exception(taken.error);
  return std::move(taken.batch);
}

}  // namespace lightrun::data
