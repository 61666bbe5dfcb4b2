#include "data/prefetcher.hpp"

#include "support/catch.hpp"

#include <lightrun/batch.hpp>

#include <ATen/Parallel.h>
#include <torch/types.h>

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

using namespace lightrun;
using data::Prefetcher;

namespace {

Batch numbered(int64_t number) {
  return {{"x", torch::full({1}, number, torch::kInt64)}};
}

int64_t number_of(const Batch& batch) {
  return batch["x"].item<int64_t>();
}

/// Whether it comes true within a time that no machine needs.
template <typename Condition>
bool comes_true(Condition&& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace

TEST_CASE("batches are handed out in order, whichever is read first") {
  std::atomic<bool> second_is_read = false;
  Prefetcher prefetcher(
      [&](int64_t number) {
        if (number == 5) comes_true([&] { return second_is_read.load(); });
        if (number == 6) second_is_read = true;
        return numbered(number);
      },
      {.first = 5, .end = 12, .threads = 2, .ahead = 4});
  for (int64_t number = 5; number < 12; ++number) CHECK(number_of(prefetcher.next()) == number);
  CHECK(second_is_read);
}

TEST_CASE("no more batches are read ahead than may be") {
  std::atomic<int64_t> started = 0;
  Prefetcher prefetcher(
      [&](int64_t number) {
        ++started;
        return numbered(number);
      },
      {.end = 50, .threads = 3, .ahead = 4});
  CHECK(comes_true([&] { return started == 4; }));
  for (int64_t taken = 1; taken <= 50; ++taken) {
    CHECK(number_of(prefetcher.next()) == taken - 1);
    CHECK(started <= taken + 4);
  }
  CHECK(started == 50);
}

TEST_CASE("what reading throws is thrown at its batch, as it was thrown, and the others come") {
  struct Own : std::runtime_error {
    using std::runtime_error::runtime_error;
  };
  Prefetcher prefetcher(
      [](int64_t number) {
        if (number == 3) throw Own("batch 3 is broken");
        return numbered(number);
      },
      {.end = 6, .threads = 3, .ahead = 6});
  for (int64_t number = 0; number < 3; ++number) CHECK(number_of(prefetcher.next()) == number);
  CHECK_THROWS_AS(prefetcher.next(), Own);
  CHECK(number_of(prefetcher.next()) == 4);
  CHECK(number_of(prefetcher.next()) == 5);
}

TEST_CASE("an end in the middle waits for what is being read, and nothing else") {
  std::atomic<int64_t> begun = 0;
  std::atomic<int64_t> ended = 0;
  {
    Prefetcher prefetcher(
        [&](int64_t number) {
          ++begun;
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          ++ended;
          return numbered(number);
        },
        {.end = 1'000'000, .threads = 3, .ahead = 30});
    CHECK(number_of(prefetcher.next()) == 0);
  }
  const int64_t at_end = begun;
  CHECK(ended == at_end);
  std::this_thread::sleep_for(std::chrono::milliseconds(40));
  CHECK(begun == at_end);
}

TEST_CASE("an end comes through to threads that wait for room") {
  std::atomic<int64_t> read = 0;
  {
    Prefetcher prefetcher(
        [&](int64_t number) {
          ++read;
          return numbered(number);
        },
        {.end = 100, .threads = 2, .ahead = 2});
    CHECK(comes_true([&] { return read == 2; }));
  }
  CHECK(read == 2);
}

TEST_CASE("no more threads are started than there are batches, and none for none") {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  Prefetcher prefetcher(
      [&](int64_t number) {
        const std::lock_guard lock(mutex);
        threads.insert(std::this_thread::get_id());
        return numbered(number);
      },
      {.end = 2, .threads = 1'000'000, .ahead = 4'000'000});
  CHECK(number_of(prefetcher.next()) == 0);
  CHECK(number_of(prefetcher.next()) == 1);
  CHECK(threads.size() <= 2);
  const Prefetcher nothing([](int64_t number) { return numbered(number); }, {.end = 0});
}

TEST_CASE("a thread that reads has a name, no signals, and LibTorch for itself alone") {
  const int before = at::get_num_threads();
  at::set_num_threads(3);
  std::string name(16, '\0');
  bool is_blocked = false;
  int threads = 0;
  Prefetcher prefetcher(
      [&](int64_t number) {
        ::pthread_getname_np(::pthread_self(), name.data(), name.size());
        sigset_t blocked;
        ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
        is_blocked = sigismember(&blocked, SIGINT) == 1 && sigismember(&blocked, SIGTERM) == 1;
        threads = at::get_num_threads();
        return numbered(number);
      },
      {.end = 1});
  static_cast<void>(prefetcher.next());
  CHECK(std::string(name.c_str()) == "data 0");
  CHECK(is_blocked);
  CHECK(threads == 1);
  CHECK(at::get_num_threads() == 3);
  at::set_num_threads(before);
}
