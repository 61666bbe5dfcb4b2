#include "support/run_lock.hpp"

#include "support/catch.hpp"
#include "support/child.hpp"
#include "support/small_disk.hpp"
#include "support/temporary_folder.hpp"

#include <lightrun/error.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using lightrun::support::RunLock;
using namespace lightrun::tests;

namespace {

/// What the next calls of flock() in this process fail with, and how many do.
int flock_error = 0;
int flock_failures = 0;

[[nodiscard]] std::string lock_line(const TemporaryFolder& folder) {
  const std::string text = read_file(folder / "run.lock");
  return text.ends_with('\n') ? text.substr(0, text.size() - 1) : text;
}

[[nodiscard]] std::string in_use(const TemporaryFolder& folder, const std::string& holder) {
  return folder.path().string() + " is in use by " + holder + "; wait for it, or give another run.folder";
}

/// A process that takes the folder, does `then` and waits to be killed.
[[nodiscard]] Child hold_in_child(const TemporaryFolder& folder, const std::function<void()>& then) {
  return Child([&] {
    const RunLock lock(folder.path());
    then();
    write_file(folder / "held", "");
    for (;;) ::pause();
  });
}

[[nodiscard]] Child hold_in_child(const TemporaryFolder& folder) {
  return hold_in_child(folder, [] {});
}

/// Waits until it has come to that.
[[nodiscard]] bool is_held(const TemporaryFolder& folder) {
  return wait_until([&] { return std::filesystem::exists(folder / "held"); });
}

}  // namespace

// In the place of the C library's: a file system without locks is hard to come by.
extern "C" __attribute__((visibility("default"))) int flock(int fd, int operation) noexcept {
  if (flock_failures > 0) {
    --flock_failures;
    errno = flock_error;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_flock, fd, operation));
}

TEST_CASE("run.lock says who holds the folder, and is empty afterwards") {
  const TemporaryFolder folder;
  {
    const RunLock lock(folder.path());
    CHECK(lock.warning().empty());
    std::array<char, 256> host = {};
    REQUIRE(::gethostname(host.data(), host.size()) == 0);
    const std::string who = "pid " + std::to_string(::getpid()) + " on host " + host.data() + " since ";
    const std::string text = read_file(folder / "run.lock");
    REQUIRE(text.starts_with(who));
    CHECK_THAT(text.substr(who.size()),
               Catch::Matchers::Matches("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\n"));
  }
  CHECK(folder.names() == std::vector<std::string>{"run.lock"});
  CHECK(read_file(folder / "run.lock").empty());
}

TEST_CASE("a folder that another process holds is refused with its holder and what to do") {
  const TemporaryFolder folder;
  Child holder = hold_in_child(folder);
  REQUIRE(is_held(folder));
  CHECK(lock_line(folder).starts_with("pid " + std::to_string(holder.pid()) + " on host "));
  CHECK_THROWS_AS(RunLock(folder.path()), lightrun::RunError);
  CHECK_THROWS_WITH(RunLock(folder.path()), in_use(folder, lock_line(folder)));
  CHECK(lock_line(folder).starts_with("pid " + std::to_string(holder.pid()) + " on host "));
}

TEST_CASE("a folder is refused to the process that holds it, and free again after it") {
  const TemporaryFolder folder;
  {
    const RunLock lock(folder.path());
    CHECK_THROWS_WITH(RunLock(folder.path()), in_use(folder, lock_line(folder)));
    CHECK_THROWS_WITH(RunLock(folder.path()), in_use(folder, lock_line(folder)));
  }
  CHECK_NOTHROW(RunLock(folder.path()));
}

TEST_CASE("a killed holder does not block the next, and its longer line is gone") {
  const TemporaryFolder folder;
  Child holder = hold_in_child(folder);
  REQUIRE(is_held(folder));
  holder.kill();
  const std::string left = lock_line(folder);
  CHECK(left.starts_with("pid "));
  write_file(folder / "run.lock", left + std::string(100, '0') + "\n");
  const RunLock lock(folder.path());
  CHECK(read_file(folder / "run.lock").starts_with("pid " + std::to_string(::getpid()) + " on host "));
  CHECK(lock_line(folder).size() < left.size() + 100);
}

TEST_CASE("a program that the holder started does not keep the folder") {
  const TemporaryFolder folder;
  Child holder = hold_in_child(folder, [&] {
    std::array<char*, 3> arguments = {const_cast<char*>("sleep"), const_cast<char*>("60"), nullptr};
    pid_t program = 0;
    if (::posix_spawnp(&program, "sleep", nullptr, nullptr, arguments.data(), environ) != 0) ::_exit(1);
    write_file(folder / "program", std::to_string(program));
  });
  REQUIRE(is_held(folder));
  const pid_t program = std::stoi(read_file(folder / "program"));
  CHECK_THROWS_AS(RunLock(folder.path()), lightrun::RunError);
  holder.kill();
  CHECK(::kill(program, 0) == 0);
  CHECK_NOTHROW(RunLock(folder.path()));
  ::kill(program, SIGKILL);
}

TEST_CASE("a forked child neither gives the folder back nor keeps it") {
  const TemporaryFolder folder;
  std::optional<RunLock> lock(folder.path());
  const std::string line = lock_line(folder);
  Child child([&] {
    lock.reset();
    write_file(folder / "reset", "");
    for (;;) ::pause();
  });
  REQUIRE(wait_until([&] { return std::filesystem::exists(folder / "reset"); }));
  CHECK_THROWS_WITH(RunLock(folder.path()), in_use(folder, line));

  Child other([] {
    for (;;) ::pause();
  });
  lock.reset();
  CHECK_NOTHROW(RunLock(folder.path()));
}

TEST_CASE("a lock that is moved is held until its new owner ends") {
  const TemporaryFolder folder;
  const TemporaryFolder second;
  static_assert(std::is_nothrow_move_constructible_v<RunLock> && std::is_nothrow_move_assignable_v<RunLock>);
  {
    std::optional<RunLock> first(folder.path());
    RunLock moved(std::move(*first));
    first.reset();
    CHECK_THROWS_AS(RunLock(folder.path()), lightrun::RunError);
    moved = RunLock(second.path());
    CHECK(read_file(folder / "run.lock").empty());
    CHECK_NOTHROW(RunLock(folder.path()));
    CHECK_THROWS_AS(RunLock(second.path()), lightrun::RunError);
  }
  CHECK(read_file(second / "run.lock").empty());
  CHECK_NOTHROW(RunLock(second.path()));
}

TEST_CASE("of eight processes that want a folder at once, one gets it and the others name it") {
  struct Answer {
    pid_t process;
    pid_t holder;  // as the message names it; itself: it has the lock
  };
  for (int round = 0; round < 10; ++round) {
    const TemporaryFolder folder;
    int answers[2] = {};
    REQUIRE(::pipe2(answers, O_CLOEXEC) == 0);
    const auto wants = [&] {
      if (!wait_until([&] { return std::filesystem::exists(folder / "start"); })) ::_exit(1);
      Answer answer = {.process = ::getpid(), .holder = ::getpid()};
      std::optional<RunLock> lock;
      try {
        lock.emplace(folder.path());
      } catch (const lightrun::RunError& error) {
        const std::string message = error.what();
        const std::string before = folder.path().string() + " is in use by pid ";
        answer.holder = message.starts_with(before) ? std::stoi(message.substr(before.size())) : 0;
      }
      if (::write(answers[1], &answer, sizeof answer) != sizeof answer) ::_exit(1);
      if (!wait_until([&] { return std::filesystem::exists(folder / "end"); })) ::_exit(1);
    };
    std::array<pid_t, 8> processes = {};
    for (pid_t& process : processes) process = start_child(wants);
    write_file(folder / "start", "");
    ::close(answers[1]);
    std::vector<Answer> received;
    for (Answer answer = {}; received.size() < 8 && ::read(answers[0], &answer, sizeof answer) > 0;)
      received.push_back(answer);
    ::close(answers[0]);
    write_file(folder / "end", "");
    for (const pid_t process : processes) CHECK(wait_for(process) == 0);

    REQUIRE(received.size() == 8);
    const auto has_it = [](const Answer& answer) { return answer.process == answer.holder; };
    REQUIRE(std::count_if(received.begin(), received.end(), has_it) == 1);
    const pid_t holder = std::find_if(received.begin(), received.end(), has_it)->process;
    for (const Answer& answer : received) CHECK(answer.holder == holder);
  }
}

TEST_CASE("a holder that has not written its line, or not ours, is another process") {
  const TemporaryFolder folder;
  write_file(folder / "run.lock", GENERATE("", "pid 12", "somebody's notes\n"));
  const std::string before = read_file(folder / "run.lock");
  const int fd = ::open((folder / "run.lock").c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(::flock(fd, LOCK_EX) == 0);
  CHECK_THROWS_WITH(RunLock(folder.path()), in_use(folder, "another process"));
  CHECK(read_file(folder / "run.lock") == before);
  ::close(fd);
}

TEST_CASE("a holder that is about to go is waited for") {
  const TemporaryFolder folder;
  flock_error = EWOULDBLOCK;
  flock_failures = 3;
  const RunLock lock(folder.path());
  CHECK(flock_failures == 0);
  CHECK(lock_line(folder).starts_with("pid "));
}

TEST_CASE("a file system without locks is no error but a warning, and run.lock stays as it was") {
  const TemporaryFolder folder;
  const std::string of_another = "pid 1 on host other since 2026-11-30 14:32:22\n";
  write_file(folder / "run.lock", of_another);
  const auto [error, reason] = GENERATE(table<int, std::string>({{ENOLCK, "No locks available"},
                                                                 {EOPNOTSUPP, "Operation not supported"},
                                                                 {ENOSYS, "Function not implemented"}}));
  flock_error = error;
  flock_failures = 1;
  {
    const RunLock lock(folder.path());
    CHECK(lock.warning() == "cannot lock " + (folder / "run.lock").string() + ": " + reason +
                                "; nothing keeps a second run out of this folder");
    CHECK(read_file(folder / "run.lock") == of_another);
  }
  CHECK(read_file(folder / "run.lock") == of_another);
}

TEST_CASE("a lock that is moved takes its warning along") {
  const TemporaryFolder folder;
  flock_error = ENOLCK;
  flock_failures = 1;
  RunLock lock(folder.path());
  RunLock moved(std::move(lock));
  CHECK_FALSE(moved.warning().empty());
  moved = RunLock(folder.path());
  CHECK(moved.warning().empty());
}

TEST_CASE("a lock that the system refuses is named with the reason") {
  const TemporaryFolder folder;
  flock_error = EIO;
  flock_failures = 1;
  CHECK_THROWS_WITH(RunLock(folder.path()),
                    "cannot lock " + (folder / "run.lock").string() + ": Input/output error");
}

TEST_CASE("locking goes on after a signal") {
  const TemporaryFolder folder;
  flock_error = EINTR;
  flock_failures = 2;
  const RunLock lock(folder.path());
  CHECK(flock_failures == 0);
  CHECK(lock_line(folder).starts_with("pid "));
}

TEST_CASE("a full disk gives no lock, and does not keep the folder") {
  const TemporaryFolder folder;
  {
    const SmallDisk disk(10);
    CHECK_THROWS_WITH(RunLock(folder.path()),
                      "cannot write " + (folder / "run.lock").string() + ": File too large");
  }
  CHECK_NOTHROW(RunLock(folder.path()));
}

TEST_CASE("a folder that cannot be locked is named with the reason") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(RunLock(folder / "absent"), lightrun::RunError);
  CHECK_THROWS_WITH(RunLock(folder / "absent"),
                    "cannot lock " + (folder / "absent/run.lock").string() + ": No such file or directory");
  const pid_t child = start_child([&] {
    give_up_privileges();
    ::chmod(folder.path().c_str(), 0500);
    try {
      const RunLock lock(folder.path());
    } catch (const lightrun::RunError& error) {
      if (error.what() == "cannot lock " + (folder / "run.lock").string() + ": Permission denied") ::_exit(7);
    }
  });
  CHECK(WEXITSTATUS(wait_for(child)) == 7);
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
  CHECK(folder.names().empty());
}

TEST_CASE("a link in the place of run.lock is not followed: its target would be emptied") {
  const TemporaryFolder folder;
  write_file(folder / "precious", "content");
  std::filesystem::create_symlink("precious", folder / "run.lock");
  CHECK_THROWS_WITH(RunLock(folder.path()),
                    "cannot lock " + (folder / "run.lock").string() + ": Too many levels of symbolic links");
  CHECK(read_file(folder / "precious") == "content");
}
