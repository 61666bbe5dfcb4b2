#include "e2e/faulty_run.hpp"
#include "support/catch.hpp"

#include <nlohmann/json.hpp>

using namespace lightrun::tests;

namespace {

nlohmann::json record_of(const TemporaryFolder& folder) {
  return nlohmann::json::parse(read_file(folder / "runs/run/0/run.json"));
}

}  // namespace

TEST_CASE("run.json says what was run, and how it ended") {
  const TemporaryFolder folder;
  REQUIRE(train_faulty(folder, "{}", {"--profiler", "simple"}).exit_code == 0);
  const auto record = record_of(folder);
  CHECK(record["status"] == "complete");
  CHECK(record["reason"] == "max_epochs 4 reached");
  CHECK(record["model"] == "faulty");
  CHECK(record["steps"] == 20);
  CHECK(record["devices"] == nlohmann::json::array({"cpu"}));
  CHECK(record["command"][0] == "train");
  CHECK(record["command"][1] == "run.yaml");
  CHECK(record["started"].get<std::string>().size() == std::string("2026-11-30T19:04:53Z").size());
  CHECK(record["ended"].get<std::string>() >= record["started"].get<std::string>());
  bool has_step = false;
  for (const auto& action : record["profile"])
    has_step = has_step || (action["action"] == "training_step" && action["calls"] == 20);
  CHECK(has_step);
}

TEST_CASE("run.json of a run that failed has the error, and of one that was killed says running") {
  const TemporaryFolder failed;
  REQUIRE(train_faulty(failed, "{throw_at: 3}").exit_code == 5);
  CHECK(record_of(failed)["status"] == "failed");
  CHECK(contains(record_of(failed)["reason"], "training_step failed"));
  const TemporaryFolder killed;
  REQUIRE(train_faulty(killed, "{abort_at: 3}").exit_code == -SIGABRT);
  CHECK(record_of(killed)["status"] == "running");
  CHECK(record_of(killed)["ended"].is_null());
}
