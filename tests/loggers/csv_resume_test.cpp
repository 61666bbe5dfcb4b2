#include "loggers/resumed_csv.hpp"
#include "support/catch.hpp"
#include "support/child.hpp"
#include "support/small_disk.hpp"
#include "support/temporary_folder.hpp"

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

using namespace lightrun::loggers;
using namespace lightrun::tests;

TEST_CASE("a run that is killed and resumed has the file of one that was not, wherever it is cut") {
  const std::string whole = file_after(kRun);
  for (std::size_t cut = 0; cut <= kRun.size(); ++cut) {
    for (std::size_t killed = cut; killed <= kRun.size(); ++killed) {
      INFO("checkpoint after " << cut << " calls, killed after " << killed);
      const TemporaryFolder folder;
      const auto path = folder / "metrics.csv";
      LoggerState state;
      {
        CsvLogger logger(path);
        log(logger, Calls(kRun).first(cut));
        state = logger.state();
        log(logger, Calls(kRun).subspan(cut, killed - cut));
      }
      CsvLogger logger(path, state, path);
      REQUIRE(logger.warning().empty());
      REQUIRE(logger.state() == state);
      REQUIRE(read_file(path) == file_after(Calls(kRun).first(cut)));
      log(logger, Calls(kRun).subspan(cut));
      REQUIRE(read_file(path) == whole);
      REQUIRE(folder.names() == kAlone);
    }
  }
}

TEST_CASE("a run that is resumed after every call has the file of one that was not") {
  const TemporaryFolder folder;
  const auto path = folder / "metrics.csv";
  LoggerState state = CsvLogger(path).state();
  for (const Call& call : kRun) {
    CsvLogger logger(path, state, path);
    log(logger, {&call, 1});
    state = logger.state();
    REQUIRE(logger.warning().empty());
    logger.finalize("killed");
  }
  CHECK(read_file(path) == file_after(kRun));
  CHECK(state == state_after(kRun));
}

TEST_CASE("the state is the columns, the number of lines and the last line") {
  const TemporaryFolder folder;
  CsvLogger logger(folder / "metrics.csv");
  CHECK(logger.state() == LoggerState{{"columns", "epoch,step,time_s"}, {"lines", "0"}, {"last_line", ""}});
  logger.log_metrics(3, 0, 0.5, {{"a", 1}, {"b,c", 2}});
  logger.log_metrics(4, 1, 0.75, {{"a", 0.25}});
  const LoggerState state = {
      {"columns", "epoch,step,time_s,a,\"b,c\""}, {"lines", "2"}, {"last_line", "1,4,0.750,0.25,"}};
  CHECK(logger.state() == state);
  logger.finalize("success");
  CHECK(logger.state() == state);
}

TEST_CASE("a file that breaks off anywhere behind the checkpoint's lines is continued as a whole one") {
  std::vector<Call> calls = steps(6);
  const LoggerState state = state_after(Calls(calls).first(3));
  calls[2].metrics["val"] = 7;  // completes the checkpoint's last line, with a column of its own
  const std::string file = file_after(calls);
  const std::string cut_back = kHeader + lines({0, 1, 2});
  for (std::size_t bytes = file.find("0,2,"); bytes <= file.size(); ++bytes) {
    INFO("after " << bytes << " bytes");
    for (const std::size_t zeros : {0, 10}) {  // a power failure may leave them
      const Continued run = continued(file.substr(0, bytes) + std::string(zeros, '\0'), state);
      CHECK(run.file == cut_back);
      CHECK(run.warning.empty());
      CHECK(run.names == kAlone);
      CHECK(run.state == state);
    }
  }
}

TEST_CASE("in a folder of its own a resumed run has the earlier one's lines, which stay as they were") {
  const TemporaryFolder folder;
  const auto old = folder / "old.csv";
  const auto path = folder / "metrics.csv";
  for (std::size_t cut = 0; cut <= kRun.size(); ++cut) {
    write_file(old, file_after(kRun));
    CsvLogger logger(path, state_after(Calls(kRun).first(cut)), old);
    CHECK(logger.warning().empty());
    log(logger, Calls(kRun).subspan(cut));
    REQUIRE(read_file(path) == file_after(kRun));
    REQUIRE(read_file(old) == file_after(kRun));
    std::filesystem::remove(path);
  }
}

TEST_CASE("the earlier file by another name of it is the same file") {
  const TemporaryFolder folder;
  write_file(folder / "metrics.csv", kHeader + lines({0, 1, 2}));
  std::filesystem::create_directory_symlink(folder.path(), folder / "latest");
  const CsvLogger logger(folder / "metrics.csv", state_after(steps(2)), folder / "latest" / "metrics.csv");
  CHECK(logger.warning().empty());
  CHECK(read_file(folder / "metrics.csv") == kHeader + lines({0, 1}));
}

TEST_CASE("on a full disk the earlier file stays as it was") {
  const TemporaryFolder folder;
  const auto path = folder / "metrics.csv";
  const std::string before = kHeader + lines({0, 1, 2, 3});
  write_file(path, before);
  const LoggerState state = state_after(steps(3));
  {
    const SmallDisk disk(30);
    CHECK_THROWS_WITH(CsvLogger(path, state, path), "cannot write " + path.string() + ": File too large");
  }
  CHECK(read_file(path) == before);
  CHECK(folder.names() == kAlone);
}

TEST_CASE("a long file that is continued has its lines completed in their places") {
  const auto log_step = [](CsvLogger& logger, int64_t i) {
    logger.log_metrics(i, 0, 0, {{"loss", static_cast<double>(i) / 7}});
    logger.log_metrics(i, 0, 1, {{"val", static_cast<double>(i) / 3}});
  };
  const TemporaryFolder folder;
  const auto path = folder / "metrics.csv";
  CsvLogger whole(folder / "whole.csv");
  LoggerState state = CsvLogger(path).state();
  for (int64_t i = 0; i < 3000; ++i) log_step(whole, i);  // over many pages of the file
  for (int64_t begin = 0; begin < 3000; begin += 500) {
    CsvLogger logger(path, state, path);
    for (int64_t i = begin; i < begin + 500; ++i) log_step(logger, i);
    state = logger.state();
    for (int64_t i = begin + 500; i < begin + 600; ++i) log_step(logger, i);
  }
  CHECK(CsvLogger(path, state, path).warning().empty());
  CHECK(read_file(path) == read_file(folder / "whole.csv"));
}

TEST_CASE("a process that is killed while it continues a file leaves one that can be continued") {
  const LoggerState state = state_after(steps(20));
  for (int attempt = 0; attempt < 10; ++attempt) {
    const TemporaryFolder folder;
    const auto path = folder / "metrics.csv";
    write_file(path, kHeader);
    int said[2];
    REQUIRE(::pipe(said) == 0);
    const pid_t child = start_child([&] {
      const std::vector<Call> calls = steps(30);
      for (LoggerState first;; first = state) {
        if (first.empty()) std::filesystem::remove(path);
        CsvLogger logger(path, first, path);
        log(logger, first.empty() ? Calls(calls) : Calls(calls).last(10));
        if (::write(said[1], "", 1) != 1) ::_exit(1);
      }
    });
    ::close(said[1]);
    char byte = 0;
    for (int i = 0; i < 3 + 5 * attempt; ++i) REQUIRE(::read(said[0], &byte, 1) == 1);
    ::kill(child, SIGKILL);
    CHECK(WTERMSIG(wait_for(child)) == SIGKILL);
    ::close(said[0]);

    CsvLogger logger(path, state, path);
    CHECK(logger.warning().empty());
    log(logger, Calls(steps(30)).last(10));
    CHECK(read_file(path) == file_after(steps(30)));
  }
}
