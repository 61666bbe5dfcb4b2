#include "support/signals.hpp"

#include "support/catch.hpp"
#include "support/child.hpp"
#include "support/temporary_folder.hpp"

#include <fcntl.h>

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

TEST_CASE("SIGUSR1 asks for a save, once, and for no stop") {
  StopSignals signals;
  CHECK_FALSE(signals.take_save_request());
  ::raise(SIGUSR1);
  CHECK(signals.take_save_request());
  CHECK_FALSE(signals.take_save_request());
  ::raise(SIGUSR1);
  ::raise(SIGUSR1);
  CHECK(signals.take_save_request());
  CHECK_FALSE(signals.take_save_request());
  CHECK_FALSE(signals.received());
}

TEST_CASE("SIGUSR1 is neither the first nor the second signal of a stop") {
  StopSignals signals;
  ::raise(SIGUSR1);
  ::raise(SIGTERM);
  CHECK(signals.received() == SIGTERM);
  ::raise(SIGUSR1);
  CHECK(signals.received() == SIGTERM);
  CHECK(signals.take_save_request());
}

TEST_CASE("SIGUSR1 from outside says nothing and does not disturb a read under way") {
  const TemporaryFolder folder;
  int input[2] = {};
  REQUIRE(::pipe2(input, O_CLOEXEC) == 0);
  Child child([&] {
    ::dup2(::open((folder / "stderr").c_str(), O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
    StopSignals signals;
    write_file(folder / "ready", "");
    char byte = 0;
    const ssize_t count = ::read(input[0], &byte, 1);
    if (count != 1 || !signals.take_save_request() || signals.received()) ::_exit(1);
  });
  REQUIRE(wait_until([&] { return std::filesystem::exists(folder / "ready"); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // into the read
  ::kill(child.pid(), SIGUSR1);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(::write(input[1], "x", 1) == 1);
  CHECK(child.wait() == 0);
  CHECK(std::filesystem::exists(folder / "stderr"));
  CHECK(read_file(folder / "stderr").empty());
  ::close(input[0]);
  ::close(input[1]);
}

TEST_CASE("each object starts without a save request, and SIGUSR1 does afterwards what it did before") {
  const pid_t child = start_child([] {
    struct sigaction before = {};
    before.sa_handler = [](int) {};
    ::sigaction(SIGUSR1, &before, nullptr);
    {
      const StopSignals signals;
      ::raise(SIGUSR1);  // and nobody takes it
    }
    if (StopSignals().take_save_request()) ::_exit(1);
    struct sigaction after = {};
    ::sigaction(SIGUSR1, nullptr, &after);
    if (after.sa_handler != before.sa_handler) ::_exit(2);

    std::signal(SIGUSR1, SIG_DFL);
    {
      const StopSignals signals;
      ::raise(SIGUSR1);
    }
    ::raise(SIGUSR1);  // ends the process
    ::_exit(3);
  });
  const int status = wait_for(child);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGUSR1);
}
