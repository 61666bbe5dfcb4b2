#include "loggers/jsonl_line.hpp"
#include "loggers/jsonl_logger.hpp"

#include "loggers/resumed_csv.hpp"
#include "support/catch.hpp"

using namespace lightrun::loggers;
using namespace lightrun::tests;

namespace {

void log_to(JsonlLogger& logger, Calls calls) {
  for (const auto& [step, epoch, seconds, metrics] : calls) logger.log_metrics(step, epoch, seconds, metrics);
}

std::string jsonl_after(Calls calls) {
  const TemporaryFolder folder;
  JsonlLogger logger(folder / "m.jsonl");
  log_to(logger, calls);
  return read_file(folder / "m.jsonl");
}

/// The state after steps() 0 to 2, and the file then.
const LoggerState kThree = {{"lines", "3"}, {"last_line", R"({"epoch":0,"step":2,"time_s":2.000,"loss":2})"}};

}  // namespace

TEST_CASE("a jsonl run that is killed and resumed has the file of one that was not, wherever it is cut") {
  const std::string whole = jsonl_after(kRun);
  for (std::size_t cut = 0; cut <= kRun.size(); ++cut) {
    for (std::size_t killed = cut; killed <= kRun.size(); ++killed) {
      INFO("checkpoint after " << cut << " calls, killed after " << killed);
      const TemporaryFolder folder;
      const auto path = folder / "m.jsonl";
      LoggerState state;
      {
        JsonlLogger logger(path);
        log_to(logger, Calls(kRun).first(cut));
        state = logger.state();
        log_to(logger, Calls(kRun).subspan(cut, killed - cut));
      }
      JsonlLogger logger(path, state, path);
      REQUIRE(logger.warning().empty());
      REQUIRE(logger.state() == state);
      REQUIRE(read_file(path) == jsonl_after(Calls(kRun).first(cut)));
      log_to(logger, Calls(kRun).subspan(cut));
      REQUIRE(read_file(path) == whole);
      REQUIRE(folder.names() == std::vector<std::string>{"m.jsonl"});
    }
  }
}

TEST_CASE("a torn last line is dropped, and a line that the file lacks is named") {
  const TemporaryFolder folder;
  const auto path = folder / "m.jsonl";
  const std::string three = jsonl_after(steps(3));
  write_file(path, three + "{\"epoch\":0,\"st");
  {
    const JsonlLogger logger(path, kThree, path);
    CHECK(logger.warning().empty());
    CHECK(read_file(path) == three);
  }
  write_file(path, three.substr(0, three.find('\n') + 1));
  const JsonlLogger logger(path, kThree, path);
  CHECK(logger.warning() == path.string() + " lacks 1 of the 3 lines until the checkpoint");
  CHECK(logger.state().at("lines") == "2");
}

TEST_CASE("what the checkpoint cannot know is kept aside") {
  const TemporaryFolder folder;
  const auto path = folder / "m.jsonl";
  write_file(path, "hello\n");
  const JsonlLogger logger(path, {}, path);
  CHECK(logger.warning() == path.string() + " is not known to the checkpoint and is kept as m.jsonl.1");
  CHECK(read_file(path).empty());
  CHECK(read_file(folder / "m.jsonl.1") == "hello\n");
}

TEST_CASE("in another folder a resumed run has the earlier lines, which stay as they were") {
  const TemporaryFolder folder;
  write_file(folder / "a.jsonl", jsonl_after(steps(5)));
  JsonlLogger logger(folder / "b.jsonl", kThree, folder / "a.jsonl");
  CHECK(read_file(folder / "b.jsonl") == jsonl_after(steps(3)));
  CHECK(read_file(folder / "a.jsonl") == jsonl_after(steps(5)));
}

TEST_CASE("only lines that a JsonlLogger writes are read") {
  CHECK(read_jsonl_line("{\"epoch\":0,\"step\":1,\"time_s\":0.5,\"a\":\"nan\"}\n"));
  for (const char* line :
       {"", "\n", "{}\n", "[1]\n", "{\"epoch\":0,\"step\":1,\"time_s\":0.5,\"a\":\"x\"}\n",
        "{\"epoch\":0,\"step\":1,\"time_s\":0.5,\"a\":null}\n", "{\"epoch\":0,\"step\":1,\"time_s\":0.5}",
        "{\"epoch\":0.5,\"step\":1,\"time_s\":0.5}\n", "{\"epoch\":0,\"step\":1,\"a\":2}\n"}) {
    CAPTURE(line);
    CHECK_FALSE(read_jsonl_line(line));
  }
  CHECK_FALSE(read_jsonl_line(std::string(1000000, '[') + "\n"));
}
