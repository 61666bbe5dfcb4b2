#include "config/configs.hpp"
#include "support/catch.hpp"

using namespace lightrun::config;
using namespace lightrun::tests;

TEST_CASE("loggers have settings of their own, and short forms") {
  const auto spec = spec_of(kModel +
                            "loggers: [csv, {type: jsonl, file: a/b.jsonl}, {type: tensorboard, log_dir: tb, "
                            "gradient_histograms: 100}]\n");
  REQUIRE(spec.loggers.size() == 3);
  CHECK(std::get<CsvLoggerSpec>(spec.loggers[0]).file == "metrics.csv");
  CHECK(std::get<JsonlLoggerSpec>(spec.loggers[1]).file == "a/b.jsonl");
  CHECK(std::get<TensorboardLoggerSpec>(spec.loggers[2]).log_dir == "tb");
  CHECK(std::get<TensorboardLoggerSpec>(spec.loggers[2]).gradient_histograms == 100);
  const auto defaults = spec_of(kModel + "loggers: [jsonl, tensorboard]\n");
  CHECK(output_path(defaults.loggers[0]) == "metrics.jsonl");
  CHECK(output_path(defaults.loggers[1]) == "tensorboard");
  CHECK_FALSE(std::get<TensorboardLoggerSpec>(defaults.loggers[1]).gradient_histograms);
}

TEST_CASE("what a logger writes stays in the run's folder, and out of the run's own files") {
  const auto said = [](const std::string& path) {
    return problems_of(kModel + "loggers: [{type: csv, file: " + path + "}]\n");
  };
  const std::string place = "a.yaml:2:29: loggers.0.file: ";
  for (const char* path :
       {"/tmp/m.csv", "../m.csv", "a/../../m.csv", "./m.csv", "a//m.csv", "a/", ".", ".."}) {
    CAPTURE(path);
    CHECK(said(path) ==
          place + "must be a path in the run's folder, such as metrics/train, without . and .., got '" +
              path + "'");
  }
  CHECK(said("''") == place + "must not be empty");
  CHECK(said("config.yaml") ==
        place + "must be another name: the run has its own config.yaml, got 'config.yaml'");
  CHECK(said("checkpoints/m.csv") ==
        place + "must be another name: the run has its own checkpoints, got 'checkpoints/m.csv'");
  CHECK(said("[a]") == place + "expected a path in the run's folder, got a list");
  CHECK(said("a/checkpoints").empty());
  CHECK(problems_of(kModel + "loggers: [{type: tensorboard, gradient_histograms: 0}]\n") ==
        "a.yaml:2:52: loggers.0.gradient_histograms: must be >= 1, got 0");
}

TEST_CASE("loggers that would come into each other's way are refused where the second is") {
  const auto said = [](const std::string& loggers) {
    return problems_of(kModel + "loggers: [" + loggers + "]\n");
  };
  CHECK(said("csv, jsonl, tensorboard").empty());
  CHECK(said("csv, {type: csv, file: other.csv}").empty());
  CHECK(said("{type: csv, file: tb/m.csv}, {type: tensorboard, log_dir: tb}").empty());
  CHECK(
      said("csv, {type: jsonl, file: metrics.csv}") ==
      "a.yaml:2:16: loggers.1: would write the same metrics.csv as loggers.0: give one of them another name");
  CHECK(said("{type: tensorboard, log_dir: a/b}, {type: csv, file: a}") ==
        "a.yaml:2:46: loggers.1: would write the same a as loggers.0: give one of them another name");
}
