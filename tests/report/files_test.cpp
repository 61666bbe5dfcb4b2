#include "report/config_difference.hpp"
#include "report/log_messages.hpp"
#include "report/run_data.hpp"
#include "report/run_record.hpp"

#include "config/yaml_reader.hpp"
#include "report/run_folders.hpp"
#include "support/catch.hpp"

#include <lightrun/error.hpp>

using namespace lightrun;
using namespace lightrun::report;
using namespace lightrun::tests;
namespace fs = std::filesystem;

namespace {

Settings settings_in(const std::string& yaml) {
  std::vector<config::Problem> problems;
  return settings_of(config::read_yaml(yaml, "x.yaml", problems).value());
}

}  // namespace

TEST_CASE("settings are dotted paths with their values on one line") {
  CHECK(settings_in("seed: 1\n"
                    "model: {params: {hidden: [256, 128], name: \"3\"}}\n"
                    "callbacks:\n  - {type: a, every: null}\n  - {type: b}\n"
                    "loggers: []\n") == Settings{{"seed", "1"},
                                                 {"model.params.hidden", "[256, 128]"},
                                                 {"model.params.name", "\"3\""},
                                                 {"callbacks.0.type", "a"},
                                                 {"callbacks.0.every", "null"},
                                                 {"callbacks.1.type", "b"},
                                                 {"loggers", "[]"}});
}

TEST_CASE("only settings that differ are shown, with a gap where a run has none") {
  const auto differing = differing_settings({Settings{{"seed", "1"}, {"lr", "0.1"}, {"only", "x"}},
                                             std::nullopt, Settings{{"seed", "1"}, {"lr", "0.2"}}});
  REQUIRE(differing.size() == 2);
  CHECK(differing[0].path == "lr");
  CHECK((differing[0].values == std::vector<std::optional<std::string>>{"0.1", std::nullopt, "0.2"}));
  CHECK(differing[1].path == "only");
  CHECK((differing[1].values == std::vector<std::optional<std::string>>{"x", std::nullopt, std::nullopt}));
  CHECK(differing_settings({Settings{{"seed", "1"}}}).empty());
}

TEST_CASE("warnings and errors of a log are found, with all their lines") {
  const TemporaryFolder folder;
  write_file(folder / "log.txt",
             "2026-11-30 19:08:14.121 info: fine: warning: not one\n"
             "2026-11-30 19:08:15.121 warning: first\nsecond line\n"
             "2026-11-30 19:08:16.121 info: more\nof it\n"
             "2026-11-30 19:08:17.121 error: bad\n");
  const LogMessages log = read_log_messages(folder / "log.txt");
  REQUIRE(log.messages.size() == 2);
  CHECK(log.messages[0].time == "2026-11-30 19:08:15.121");
  CHECK(log.messages[0].level == "warning");
  CHECK(log.messages[0].text == "first\nsecond line");
  CHECK(log.messages[1].level == "error");
  CHECK(log.messages[1].text == "bad");
  CHECK(log.left_out == 0);
}

TEST_CASE("of very many warnings the first are kept and the others counted") {
  const TemporaryFolder folder;
  std::string text;
  for (std::size_t i = 0; i < kMostLogMessages + 7; ++i) text += "2026-11-30 19:08:15.121 warning: again\n";
  write_file(folder / "log.txt", text);
  CHECK(read_log_messages(folder / "log.txt").messages.size() == kMostLogMessages);
  CHECK(read_log_messages(folder / "log.txt").left_out == 7);
}

TEST_CASE("what a run says of itself is read, and what is wrong in it left empty") {
  const RunRecord record = parse_run_record(
      R"({"run_id":"ab","command":["train","run.yaml"],"parameters":12345,"ended":null,"status":"running",
          "seconds":20.9,"environment":{"cpu":"x"},"devices":7,
          "profile":[{"action":"training_step","calls":1010,"total_s":20.7}]})");
  CHECK(record.run_id == "ab");
  CHECK(record.command == std::vector<std::string>{"train", "run.yaml"});
  CHECK(record.parameters == 12345);
  CHECK(record.ended.empty());
  CHECK(record.seconds == 20.9);
  CHECK(record.environment == std::map<std::string, std::string>{{"cpu", "x"}});
  CHECK(record.devices.empty());
  REQUIRE(record.profile.size() == 1);
  CHECK(record.profile[0].action == "training_step");
  CHECK(record.profile[0].calls == 1010);
  CHECK(record.profile[0].total_s == 20.7);
  CHECK_THROWS_AS(parse_run_record("[1"), RunError);
}

TEST_CASE("a numbered run is called by its name and number, another one by its folder") {
  const TemporaryFolder folder;
  make_run(folder / "runs/digits/3");
  make_run(folder / "fixed");
  fs::create_directory_symlink("3", folder / "runs/digits/latest");
  CHECK(name_of_run(folder / "runs/digits/3") == "digits/3");
  CHECK(name_of_run(folder / "runs/digits/3/") == "digits/3");
  CHECK(name_of_run(folder / "runs/digits/latest") == "digits/3");
  CHECK(name_of_run(folder / "fixed") == "fixed");
}

TEST_CASE("a folder of runs means its newest run, and a run that is meant twice is there once") {
  const TemporaryFolder folder;
  for (const char* number : {"0", "9", "10"}) make_run(folder / "digits" / number);
  fs::create_directory(folder / "digits/11");  // of a run that has written nothing
  fs::create_directory_symlink("10", folder / "digits/latest");
  const auto path = [&](const char* name) { return (folder / name).string(); };
  CHECK(find_runs({path("digits")}) == std::vector<fs::path>{folder / "digits/10"});
  CHECK(find_runs({path("digits/10"), path("digits/latest"), path("digits/0")}) ==
        std::vector<fs::path>{folder / "digits/10", folder / "digits/0"});
}

TEST_CASE("what is no run is refused by its path, with what is expected") {
  const TemporaryFolder folder;
  write_file(folder / "file", "");
  fs::create_directory(folder / "empty");
  const auto refused = [&](const char* name, const std::string& why) {
    using Catch::Matchers::StartsWith;
    const std::string path = (folder / name).string();
    CHECK_THROWS_WITH(find_runs({path}),
                      StartsWith(path + ": " + why) && Catch::Matchers::Contains("runs/digits/0"));
  };
  refused("missing", "there is no such folder");
  refused("file", "is a file");
  refused("empty", "holds no run");
}

TEST_CASE("files that cannot be read are problems of the report, not its end") {
  const TemporaryFolder folder;
  make_run(folder / "7", "no,metrics\n", "seed: [1\n");
  write_file(folder / "7/run.json", "{");
  fs::create_directory(folder / "7/checkpoints");
  write_file(folder / "7/checkpoints/last.ckpt", "damaged");
  const RunData run = read_run(folder / "7");
  CHECK(run.metrics.rows() == 0);
  CHECK(run.config == "seed: [1\n");
  CHECK_FALSE(run.settings);
  CHECK_FALSE(run.record);
  REQUIRE(run.problems.size() >= 4);
  const auto names = [&](const char* file) {
    for (const std::string& problem : run.problems)
      if (problem.find(file) != std::string::npos) return true;
    return false;
  };
  for (const char* file : {"metrics.csv", "config.yaml", "run.json", "last.ckpt"}) CHECK(names(file));
}
