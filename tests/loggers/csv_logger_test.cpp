#include "loggers/csv_logger.hpp"

#include "support/catch.hpp"
#include "support/child.hpp"
#include "support/small_disk.hpp"
#include "support/temporary_folder.hpp"

#include <lightrun/error.hpp>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <sstream>

using namespace lightrun::loggers;
using namespace lightrun::tests;

namespace {

/// The cells of each line. Fails on a last line without its newline.
std::vector<std::vector<std::string>> cells(const std::string& text) {
  REQUIRE(text.ends_with('\n'));
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    auto& row = rows.emplace_back();
    std::istringstream fields(line + ",");
    for (std::string field; std::getline(fields, field, ',');) row.push_back(field);
  }
  return rows;
}

}  // namespace

TEST_CASE("each step is a row, and is in the file when log_metrics returns") {
  const TemporaryFolder folder;
  CsvLogger logger(folder / "metrics.csv");
  CHECK(read_file(folder / "metrics.csv") == "epoch,step,time_s\n");
  logger.log_metrics(0, 0, 0.5, {{"train_loss", 0.25}, {"lr", 1e-3}});
  CHECK(read_file(folder / "metrics.csv") == "epoch,step,time_s,lr,train_loss\n0,0,0.500,0.001,0.25\n");
  logger.log_metrics(1, 0, 0.75, {{"train_loss", 3}});
  CHECK(read_file(folder / "metrics.csv") ==
        "epoch,step,time_s,lr,train_loss\n0,0,0.500,0.001,0.25\n0,1,0.750,,3\n");
}

TEST_CASE("a second call for a step completes its row") {
  const TemporaryFolder folder;
  CsvLogger logger(folder / "metrics.csv");
  logger.log_metrics(4, 1, 1, {{"train_loss", 1}, {"val_loss", 2}});
  logger.log_metrics(5, 1, 2, {{"train_loss", 0.5}});
  logger.log_metrics(5, 1, 2.5, {{"val_loss", 0.125}});
  CHECK(read_file(folder / "metrics.csv") ==
        "epoch,step,time_s,train_loss,val_loss\n1,4,1.000,1,2\n1,5,2.000,0.5,0.125\n");
  logger.log_metrics(6, 1, 4, {{"val_loss", 8}});
  CHECK(read_file(folder / "metrics.csv") ==
        "epoch,step,time_s,train_loss,val_loss\n1,4,1.000,1,2\n1,5,2.000,0.5,0.125\n1,6,4.000,,8\n");
}

TEST_CASE("a second value of a metric at one step has a row of its own: none is lost") {
  const TemporaryFolder folder;
  CsvLogger logger(folder / "metrics.csv");
  logger.log_metrics(5, 1, 2, {{"train_loss", 0.5}, {"val_loss", 4}});
  logger.log_metrics(5, 1, 3, {{"val_loss", 3}});
  logger.log_metrics(5, 1, 4, {{"val_loss", 3}, {"train_loss", 0.25}});
  CHECK(read_file(folder / "metrics.csv") ==
        "epoch,step,time_s,train_loss,val_loss\n1,5,2.000,0.5,4\n1,5,3.000,0.25,3\n");
}

TEST_CASE("the same step in another epoch is another row") {
  const TemporaryFolder folder;
  CsvLogger logger(folder / "metrics.csv");
  logger.log_metrics(5, 0, 1, {{"a", 1}});
  logger.log_metrics(5, 1, 2, {{"a", 2}});
  CHECK(read_file(folder / "metrics.csv") == "epoch,step,time_s,a\n0,5,1.000,1\n1,5,2.000,2\n");
}

TEST_CASE("a metric that is new adds a column, also to the rows before, also while a row is completed") {
  const TemporaryFolder folder;
  CsvLogger logger(folder / "metrics.csv");
  logger.log_metrics(0, 0, 0, {{"b", 1}});
  logger.log_metrics(1, 0, 1, {{"b", 2}});
  logger.log_metrics(1, 0, 1, {{"a", 3}, {"c", 4}});
  logger.log_metrics(2, 0, 2, {{"a", 5}});
  CHECK(read_file(folder / "metrics.csv") ==
        "epoch,step,time_s,b,a,c\n0,0,0.000,1,,\n0,1,1.000,2,3,4\n0,2,2.000,,5,\n");
  CHECK(folder.names() == std::vector<std::string>{"metrics.csv"});
}

TEST_CASE("numbers come back as they were, and what is not a number has a name") {
  const TemporaryFolder folder;
  CsvLogger logger(folder / "metrics.csv");
  const double third = 1.0 / 3;
  const double infinity = std::numeric_limits<double>::infinity();
  logger.log_metrics(0, 0, 0, {{"a", third}, {"b", 0.1}, {"c", -NAN}, {"d", infinity}, {"e", -infinity}});
  const auto rows = cells(read_file(folder / "metrics.csv"));
  CHECK(std::stod(rows[1][3]) == third);
  CHECK(rows[1] ==
        std::vector<std::string>{"0", "0", "0.000", "0.3333333333333333", "0.1", "nan", "inf", "-inf"});
}

TEST_CASE("names are quoted where a reader would stumble, and the fixed columns' names are taken") {
  const TemporaryFolder folder;
  CsvLogger logger(folder / "metrics.csv");
  logger.log_metrics(0, 0, 0, {{"a,\"b\"", 1}});
  CHECK(read_file(folder / "metrics.csv") == "epoch,step,time_s,\"a,\"\"b\"\"\"\n0,0,0.000,1\n");
  CHECK_THROWS_WITH(
      logger.log_metrics(1, 0, 0, {{"a", 1}, {"step", 1}}),
      "cannot log a metric called \"step\": metrics.csv has a column of that name; log it under another");
  logger.log_metrics(2, 0, 0, {{"a,\"b\"", 2}});
  CHECK(read_file(folder / "metrics.csv") == "epoch,step,time_s,\"a,\"\"b\"\"\"\n0,0,0.000,1\n0,2,0.000,2\n");
}

TEST_CASE("an earlier run's metrics are not overwritten") {
  const TemporaryFolder folder;
  write_file(folder / "metrics.csv", "epoch,step,time_s\n");
  CHECK_THROWS_AS(CsvLogger(folder / "metrics.csv"), lightrun::RunError);
  CHECK_THROWS_WITH(CsvLogger(folder / "metrics.csv"), "cannot write " + (folder / "metrics.csv").string() +
                                                           ": it holds the metrics of an earlier run");
  CHECK_THROWS_WITH(CsvLogger(folder / "no" / "m.csv"),
                    "cannot write " + (folder / "no/m.csv").string() + ": No such file or directory");
}

TEST_CASE("a full disk is named, and whole rows remain") {
  CHECK_THROWS_WITH(CsvLogger("/dev/full"), "cannot write /dev/full: No space left on device");

  const TemporaryFolder folder;
  CsvLogger logger(folder / "metrics.csv");
  logger.log_metrics(0, 0, 0, {{"loss", 0.5}, {"val", 0.25}});
  logger.log_metrics(1, 0, 0, {{"loss", 0.5}});
  const std::string before = read_file(folder / "metrics.csv");
  const std::string reason = "cannot write " + (folder / "metrics.csv").string() + ": File too large";
  const auto fails_with_reason = [&](int64_t step, const Logger::Metrics& metrics) {
    const LoggerState state = logger.state();
    const SmallDisk disk(before.size() + 3);
    CHECK_THROWS_WITH(logger.log_metrics(step, 0, 0, metrics), reason);
    CHECK(logger.state() == state);
  };
  fails_with_reason(1, {{"val", 0.123456}});  // the last row grows
  CHECK(read_file(folder / "metrics.csv") == before);
  fails_with_reason(1, {{"new", 1}});  // a column more
  CHECK(read_file(folder / "metrics.csv") == before);
  fails_with_reason(2, {{"loss", 1}});  // a row more
  CHECK(read_file(folder / "metrics.csv") == before);
  fails_with_reason(1, {{"val", 0.123456}, {"new", 1}});  // the row before it still
  CHECK(read_file(folder / "metrics.csv") == before);
  logger.log_metrics(3, 0, 0, {{"loss", 1}});
  CHECK(read_file(folder / "metrics.csv") == before + "0,3,0.000,1,\n");
}

TEST_CASE("many rows, completed and with late columns, are all there and whole") {
  const TemporaryFolder folder;
  CsvLogger logger(folder / "metrics.csv");
  for (int i = 0; i < 3000; ++i) {  // over many pages of the file
    logger.log_metrics(i, 0, i, {{"loss", i / 7.0}});
    if (i >= 10) logger.log_metrics(i, 0, i, {{"val", i / 3.0}});
    if (i == 2000) logger.log_metrics(i, 0, i, {{"late", 1}});
  }
  logger.finalize("success");
  const auto rows = cells(read_file(folder / "metrics.csv"));
  REQUIRE(rows.size() == 3001);
  for (std::size_t i = 0; i < 3000; ++i) {
    const auto& row = rows[i + 1];
    REQUIRE(row.size() == 6);
    REQUIRE(row[1] == std::to_string(i));
    REQUIRE(std::stod(row[3]) == static_cast<double>(i) / 7);
    REQUIRE((row[4].empty() ? i < 10 : std::stod(row[4]) == static_cast<double>(i) / 3));
    REQUIRE(row[5] == (i == 2000 ? "1" : ""));
  }
}

TEST_CASE("a process that aborts has lost nothing that it logged") {
  const TemporaryFolder folder;
  const pid_t child = start_child([&] {
    CsvLogger logger(folder / "metrics.csv");
    for (int i = 0; i < 12; ++i) logger.log_metrics(i, 0, 0, {{"loss", i}});
    std::signal(SIGABRT, SIG_DFL);  // Catch has its own
    std::abort();
  });
  CHECK(WTERMSIG(wait_for(child)) == SIGABRT);
  const auto rows = cells(read_file(folder / "metrics.csv"));
  REQUIRE(rows.size() == 13);
  CHECK(rows[12] == std::vector<std::string>{"0", "11", "0.000", "11"});
}

TEST_CASE("a process that is killed leaves whole rows, of all that it said it logged") {
  for (int attempt = 0; attempt < 10; ++attempt) {
    const TemporaryFolder folder;
    int said[2];
    REQUIRE(::pipe(said) == 0);
    const pid_t child = start_child([&] {
      CsvLogger logger(folder / "metrics.csv");
      for (int i = 0;; ++i) {
        logger.log_metrics(i, 0, 0, {{"loss", i / 7.0}});
        logger.log_metrics(i, 0, 0, {{"val", i / 3.0}});
        if (::write(said[1], &i, sizeof i) != sizeof i) ::_exit(1);
      }
    });
    ::close(said[1]);
    int last = -1;
    for (int i = 0; i < 200 + 37 * attempt; ++i) REQUIRE(::read(said[0], &last, sizeof last) == sizeof last);
    ::kill(child, SIGKILL);
    CHECK(WTERMSIG(wait_for(child)) == SIGKILL);
    while (::read(said[0], &last, sizeof last) == sizeof last) continue;
    ::close(said[0]);

    const auto rows = cells(read_file(folder / "metrics.csv"));
    REQUIRE(rows.size() >= static_cast<std::size_t>(last) + 2);
    for (const auto& row : rows) CHECK(row.size() == 5);
    CHECK(std::stod(rows[static_cast<std::size_t>(last) + 1][4]) == last / 3.0);
  }
}
