#include "support/signals.hpp"

#include "support/catch.hpp"
#include "support/child.hpp"

#include <chrono>
#include <thread>

using lightrun::support::StopSignals;
using namespace lightrun::tests;

TEST_CASE("a signal is noted and the process goes on") {
  const int signal = GENERATE(SIGINT, SIGTERM, SIGHUP);
  const StopSignals signals;
  CHECK_FALSE(signals.received());
  ::raise(signal);
  CHECK(signals.received() == signal);
}

TEST_CASE("each object starts without a signal, and the earlier handler is back after it") {
  const auto count = [](int) {};
  struct sigaction before = {};
  before.sa_handler = count;
  struct sigaction original = {};
  ::sigaction(SIGTERM, &before, &original);
  {
    const StopSignals signals;
    ::raise(SIGTERM);
    CHECK(signals.received() == SIGTERM);
  }
  { CHECK_FALSE(StopSignals().received()); }
  struct sigaction after = {};
  ::sigaction(SIGTERM, &original, &after);
  CHECK(after.sa_handler == before.sa_handler);
}

TEST_CASE("a second signal leaves at once with 128 + n") {
  const auto [first, second, code] = GENERATE(table<int, int, int>(
      {{SIGINT, SIGINT, 130}, {SIGTERM, SIGTERM, 143}, {SIGINT, SIGTERM, 143}, {SIGHUP, SIGHUP, 129}}));
  const pid_t child = start_child([first = first, second = second] {
    const StopSignals signals;
    ::raise(first);
    if (signals.received() != first) ::_exit(1);
    ::raise(second);
    std::this_thread::sleep_for(std::chrono::seconds(60));
  });
  const int status = wait_for(child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == code);
}

TEST_CASE("under nohup a hang-up stays ignored") {
  const pid_t child = start_child([] {
    std::signal(SIGHUP, SIG_IGN);
    const StopSignals signals;
    ::raise(SIGHUP);
    ::raise(SIGHUP);
    if (signals.received()) ::_exit(1);
  });
  CHECK(wait_for(child) == 0);
}
