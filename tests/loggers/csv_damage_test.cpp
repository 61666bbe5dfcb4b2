#include "loggers/resumed_csv.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <lightrun/error.hpp>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

using namespace lightrun::loggers;
using namespace lightrun::tests;

TEST_CASE("lines that are missing are named, and the run goes on with what there is") {
  const LoggerState state = state_after(steps(6));
  const Continued run = continued(kHeader + lines({0, 1}) + "0,2,2.0", state);
  CHECK(run.file == kHeader + lines({0, 1, 5}));
  CHECK(run.warning == "metrics.csv lacks 3 of the 6 lines until the checkpoint");
  CHECK(run.names == kAlone);
  CHECK(run.state.at("lines") == "3");

  const Continued empty = continued("", state);
  CHECK(empty.file == kHeader + lines({5}));
  CHECK(empty.warning == "metrics.csv is empty: 5 of the 6 lines until the checkpoint are lost");
  CHECK(empty.names == kAlone);
}

TEST_CASE("lines that somebody took out are not made up for by later ones") {
  const LoggerState state = state_after(steps(4));
  const Continued run = continued(kHeader + lines({0, 2, 3, 4, 5}), state);
  CHECK(run.file == kHeader + lines({0, 2, 3}));
  CHECK(run.warning == "metrics.csv lacks 1 of the 4 lines until the checkpoint");
  CHECK(continued(kHeader + lines({0, 2, 3}), state).file == kHeader + lines({0, 2, 3}));
}

TEST_CASE("a file that is not there is begun with the line that the checkpoint has") {
  const TemporaryFolder folder;
  const auto path = folder / "metrics.csv";
  CsvLogger logger(path, state_after(steps(3)), path);
  CHECK(logger.warning() == path.string() + " is not there: 2 of the 3 lines until the checkpoint are lost");
  log(logger, Calls(steps(4)).last(1));
  CHECK(read_file(path) == kHeader + lines({2, 3}));

  const auto other = folder / "other.csv";
  CHECK(CsvLogger(other, state_after({}), other).warning().empty());
  CHECK(read_file(other) == "epoch,step,time_s\n");
}

TEST_CASE("a file of other columns is kept under a name that is free, and a new one is begun") {
  const LoggerState state = state_after(steps(2));
  const std::string foreign = "epoch,step,time_s,acc\n0,0,0.000,1\n0,1,1.000,2\n";
  const Continued run = continued(foreign, state);
  CHECK(run.file == kHeader + lines({1}));
  CHECK(run.warning ==
        "metrics.csv has other columns than at the checkpoint and is kept as metrics.csv.1: "
        "1 of the 2 lines until the checkpoint is lost");
  for (const auto* header : {"epoch,step\n", "epoch,step,time_s", "a\n\n\"", "epoch,step,\"time_s,loss\n"})
    CHECK(continued(header, state).names == kWithOld);

  const TemporaryFolder folder;
  const auto path = folder / "metrics.csv";
  write_file(path, foreign);
  write_file(folder / "metrics.csv.1", "kept before");
  CsvLogger logger(path, state, path);
  log(logger, Calls(steps(3)).last(1));
  CHECK(read_file(path) == kHeader + lines({1, 2}));
  CHECK(read_file(folder / "metrics.csv.1") == "kept before");
  CHECK(read_file(folder / "metrics.csv.2") == foreign);
}

TEST_CASE("lines that cannot be read are left out, and the file is kept") {
  const LoggerState state = state_after(steps(4));
  for (const std::string bad : {"", "0,1,1.000", "0,1,1.000,1,", "0,one,1.000,1", "0,1,1.000,x", "\"0,1,"}) {
    INFO(bad);
    std::string file = kHeader;
    file.append(lines({0})).append(bad).append("\n").append(lines({2, 3, 4, 5}));
    const Continued run = continued(file, state);
    CHECK(run.file == kHeader + lines({0, 2, 3}));
    CHECK(run.warning ==
          "metrics.csv has lines that cannot be read and is kept as metrics.csv.1: "
          "1 of the 4 lines until the checkpoint is lost");
    CHECK(run.names == kWithOld);
  }
  const Continued more = continued(kHeader + lines({0, 1}) + "# a note\n" + lines({2, 3}), state);
  CHECK(more.file == kHeader + lines({0, 1, 2, 3}));
  CHECK(more.warning == "metrics.csv has lines that cannot be read and is kept as metrics.csv.1");
  // As a spreadsheet may write it.
  CHECK(continued("\"epoch\",step,time_s,loss\r\n\"0\",0,0.000,0\r\n", state_after(steps(2))).file ==
        kHeader + lines({0, 1}));
}

TEST_CASE("another run's line in place of the last one: the file is kept, the checkpoint's line counts") {
  const Continued run =
      continued(kHeader + lines({0, 1}) + "0,2,2.000,8\n" + lines({3}), state_after(steps(3)));
  CHECK(run.file == kHeader + lines({0, 1, 2}));
  CHECK(run.warning == "metrics.csv has another line 3 than the checkpoint and is kept as metrics.csv.1");
}

TEST_CASE("a file that was resumed from an earlier checkpoint since is continued from a later one") {
  const std::vector<Call> calls = {
      {0, 0, 0, {{"a", 1}}}, {1, 0, 1, {{"a", 2}}}, {2, 0, 2, {{"a", 3}, {"b", 4}}}};
  // Its times are others, and it did not come to the second column.
  const Continued run =
      continued("epoch,step,time_s,a\n0,0,0.500,1\n0,1,1.500,2\n0,2,2.500,3\n", state_after(calls));
  CHECK(run.file == "epoch,step,time_s,a,b\n0,0,0.500,1,\n0,1,1.500,2,\n0,2,2.000,3,4\n");
  CHECK(continued("epoch,step,time_s,a\n0,0,0.500,1\n0,1,9.000,2\n0,2,9.000,3\n",
                  state_after(Calls(calls).first(2)))
            .warning.empty());
}

TEST_CASE("a checkpoint that knows of no metrics.csv leaves none behind that is there") {
  const Continued run = continued(kHeader + lines({0}), {});
  CHECK(run.file == "epoch,step,time_s\n");
  CHECK(run.warning == "metrics.csv is not known to the checkpoint and is kept as metrics.csv.1");
  CHECK(run.names == kWithOld);

  const LoggerState good = state_after(steps(2));
  for (const auto& [key, value] :
       std::vector<std::pair<std::string, std::string>>{{"lines", "-1"},
                                                        {"lines", "0"},
                                                        {"lines", "2 "},
                                                        {"lines", ""},
                                                        {"columns", "epoch"},
                                                        {"columns", "a,b,c,d"},
                                                        {"columns", ""},
                                                        {"last_line", ""},
                                                        {"last_line", "0,1,1.000"},
                                                        {"last_line", "0,1,1,x"}}) {
    INFO(key << " " << value);
    LoggerState bad = good;
    bad[key] = value;
    CHECK(continued(kHeader + lines({0, 1}), bad).names == kWithOld);
    bad.erase(key);
    CHECK(continued(kHeader + lines({0, 1}), bad).names == kWithOld);
  }

  const TemporaryFolder folder;
  const auto path = folder / "metrics.csv";
  CsvLogger logger(path, {}, path);
  CHECK(logger.warning().empty());
  log(logger, kRun);
  CHECK(read_file(path) == file_after(kRun));
}

TEST_CASE("an earlier run's file that cannot be continued in another folder stays as it is") {
  const TemporaryFolder folder;
  const auto old = folder / "old.csv";
  const auto path = folder / "metrics.csv";
  write_file(old, "a,b\n");
  const LoggerState state = state_after(steps(2));
  CHECK(CsvLogger(path, state, old).warning() ==
        old.string() +
            " has other columns than at the checkpoint: 1 of the 2 lines until the checkpoint is lost");
  CHECK(folder.names() == std::vector<std::string>{"metrics.csv", "old.csv"});
  CHECK(read_file(old) == "a,b\n");

  CHECK_THROWS_WITH(CsvLogger(path, state, old),
                    "cannot write " + path.string() + ": it holds the metrics of an earlier run");
  std::filesystem::remove(path);
  CHECK(CsvLogger(path, state, folder.path()).warning() ==
        folder.path().string() +
            " cannot be read (Is a directory): 1 of the 2 lines until the checkpoint is lost");
  CHECK_THROWS_AS(CsvLogger(folder.path(), state, folder.path()), lightrun::RunError);
}
