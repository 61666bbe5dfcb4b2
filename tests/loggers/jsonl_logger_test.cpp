#include "loggers/jsonl_logger.hpp"

#include "support/catch.hpp"
#include "support/child.hpp"
#include "support/small_disk.hpp"
#include "support/temporary_folder.hpp"

#include <lightrun/error.hpp>

#include <nlohmann/json.hpp>

#include <cmath>
#include <csignal>
#include <limits>
#include <sstream>

using namespace lightrun::loggers;
using namespace lightrun::tests;

namespace {

/// The object of each line. Fails on a last line without its newline, and on what is no JSON.
std::vector<nlohmann::json> objects(const std::string& text) {
  REQUIRE((text.empty() || text.ends_with('\n')));
  std::vector<nlohmann::json> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) rows.push_back(nlohmann::json::parse(line));
  return rows;
}

}  // namespace

TEST_CASE("each step is a JSON object on its line, and is in the file when log_metrics returns") {
  const TemporaryFolder folder;
  JsonlLogger logger(folder / "m.jsonl");
  CHECK(read_file(folder / "m.jsonl").empty());
  logger.log_metrics(49, 0, 1.131, {{"train_loss", 0.25}, {"lr", 1}});
  const std::string first = "{\"epoch\":0,\"step\":49,\"time_s\":1.131,\"lr\":1,\"train_loss\":0.25}\n";
  CHECK(read_file(folder / "m.jsonl") == first);
  logger.log_metrics(99, 1, 2, {{"train_loss", 3}});
  CHECK(read_file(folder / "m.jsonl") ==
        first + "{\"epoch\":1,\"step\":99,\"time_s\":2.000,\"train_loss\":3}\n");
}

TEST_CASE("a second call for a step completes its line; a second value begins another line") {
  const TemporaryFolder folder;
  JsonlLogger logger(folder / "m.jsonl");
  logger.log_metrics(5, 1, 2, {{"loss", 0.5}});
  logger.log_metrics(5, 1, 2.5, {{"val", 0.125}});
  const std::string first = "{\"epoch\":1,\"step\":5,\"time_s\":2.000,\"loss\":0.5,\"val\":0.125}\n";
  CHECK(read_file(folder / "m.jsonl") == first);
  logger.log_metrics(5, 1, 3, {{"val", 0.125}});  // it has that already
  CHECK(read_file(folder / "m.jsonl") == first);
  logger.log_metrics(5, 1, 4, {{"val", 1}});
  CHECK(read_file(folder / "m.jsonl") == first + "{\"epoch\":1,\"step\":5,\"time_s\":4.000,\"val\":1}\n");
  logger.log_metrics(5, 2, 5, {{"late", 1}});  // the same step in another epoch
  CHECK(objects(read_file(folder / "m.jsonl")).size() == 3);
}

TEST_CASE("numbers come back as they were, and what JSON has no number for is a string") {
  const TemporaryFolder folder;
  JsonlLogger logger(folder / "m.jsonl");
  const double small = std::numeric_limits<double>::denorm_min();
  logger.log_metrics(0, 0, 0,
                     {{"a", 1.0 / 3}, {"b", small}, {"c", 1e300}, {"d", 9007199254740993.0}, {"e", -0.0}});
  logger.log_metrics(1, 0, 0, {{"a", NAN}, {"b", INFINITY}, {"c", -INFINITY}});
  const auto rows = objects(read_file(folder / "m.jsonl"));
  CHECK(rows[0]["a"].get<double>() == 1.0 / 3);
  CHECK(rows[0]["b"].get<double>() == small);
  CHECK(rows[0]["c"].get<double>() == 1e300);
  CHECK(rows[0]["d"].get<double>() == 9007199254740992.0);
  CHECK(std::signbit(rows[0]["e"].get<double>()));
  CHECK(rows[1].dump() == R"({"a":"nan","b":"inf","c":"-inf","epoch":0,"step":1,"time_s":0.0})");
}

TEST_CASE("names are escaped as JSON wants it, and the first three are taken") {
  const TemporaryFolder folder;
  JsonlLogger logger(folder / "m.jsonl");
  logger.log_metrics(0, 0, 0, {{"a \"b\"\n\\", 1}, {"\xff", 2}});
  CHECK(objects(read_file(folder / "m.jsonl"))[0]["a \"b\"\n\\"] == 1);
  CHECK_THROWS_WITH(
      logger.log_metrics(1, 0, 0, {{"step", 1}}),
      "cannot log a metric called \"step\": m.jsonl has a column of that name; log it under another");
}

TEST_CASE("an earlier run's lines are not overwritten") {
  const TemporaryFolder folder;
  write_file(folder / "m.jsonl", "{}\n");
  CHECK_THROWS_WITH(JsonlLogger(folder / "m.jsonl"), "cannot write " + (folder / "m.jsonl").string() +
                                                         ": it holds the metrics of an earlier run");
}

TEST_CASE("on a full disk whole lines remain, and the path is named") {
  const TemporaryFolder folder;
  JsonlLogger logger(folder / "m.jsonl");
  logger.log_metrics(0, 0, 0, {{"loss", 0.5}});
  const std::string before = read_file(folder / "m.jsonl");
  const auto fails = [&](int64_t step, const Logger::Metrics& metrics) {
    const LoggerState state = logger.state();
    const SmallDisk disk(before.size() + 3);
    CHECK_THROWS_WITH(logger.log_metrics(step, 0, 0, metrics),
                      "cannot write " + (folder / "m.jsonl").string() + ": File too large");
    CHECK(logger.state() == state);
    CHECK(read_file(folder / "m.jsonl") == before);
  };
  fails(0, {{"val", 0.25}});
  fails(1, {{"loss", 0.25}});
  logger.log_metrics(0, 0, 0, {{"val", 0.25}});
  CHECK(objects(read_file(folder / "m.jsonl"))[0]["val"] == 0.25);
}

TEST_CASE("many lines that are completed, over many pages, are all there and whole") {
  const TemporaryFolder folder;
  JsonlLogger logger(folder / "m.jsonl");
  for (int i = 0; i < 3000; ++i) {
    logger.log_metrics(i, 0, i, {{"loss", i / 7.0}});
    logger.log_metrics(i, 0, i, {{"val", i / 3.0}});
  }
  logger.finalize("success");
  const auto rows = objects(read_file(folder / "m.jsonl"));
  REQUIRE(rows.size() == 3000);
  for (std::size_t i = 0; i < 3000; ++i) {
    REQUIRE(rows[i]["step"] == i);
    REQUIRE(rows[i]["loss"].get<double>() == static_cast<double>(i) / 7);
    REQUIRE(rows[i]["val"].get<double>() == static_cast<double>(i) / 3);
  }
}

TEST_CASE("a process that is killed leaves whole lines, of all that it said it logged") {
  for (int attempt = 0; attempt < 10; ++attempt) {
    const TemporaryFolder folder;
    int said[2];
    REQUIRE(::pipe(said) == 0);
    const pid_t child = start_child([&] {
      JsonlLogger logger(folder / "m.jsonl");
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
    const auto rows = objects(read_file(folder / "m.jsonl"));
    REQUIRE(rows.size() >= static_cast<std::size_t>(last) + 1);
    CHECK(rows[static_cast<std::size_t>(last)]["val"].get<double>() == last / 3.0);
  }
}
