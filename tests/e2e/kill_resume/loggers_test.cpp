// All loggers at once: the same values in each, and nothing lost or there twice after kills.

#include "support/catch.hpp"

#include "e2e/kill_resume/resumed_runs.hpp"
#include "loggers/event_files.hpp"

#include <cmath>
#include <set>

using namespace lightrun::tests;
using std::chrono::milliseconds;

namespace {

using Values = std::map<std::pair<std::string, int64_t>, double>;  // (metric, step) -> value

const std::string kLoggers = "loggers: [csv, jsonl, {type: tensorboard, gradient_histograms: 3}]\n";

/// Of a metrics.csv; every value once.
Values in_csv(const std::filesystem::path& path) {
  Values values;
  for (const auto& row : read_csv(path)) {
    for (const auto& [name, cell] : row) {
      if (cell.empty() || name == "epoch" || name == "step" || name == "time_s") continue;
      REQUIRE(values.emplace(std::pair(name, std::stoll(row.at("step"))), std::stod(cell)).second);
    }
  }
  return values;
}

Values in_jsonl(const std::filesystem::path& path) {
  Values values;
  for (const std::string& line : lines_of(read_file(path))) {
    const auto row = nlohmann::json::parse(line);
    for (const auto& [name, value] : row.items()) {
      if (name == "epoch" || name == "step" || name == "time_s") continue;
      REQUIRE(values.emplace(std::pair(name, row["step"].get<int64_t>()), value.get<double>()).second);
    }
  }
  return values;
}

Values in_events(const nlohmann::json& events) {
  Values values;
  for (const auto& [place, value] : scalars_in(events)) values.emplace(place, value.get<double>());
  return values;
}

Values as_floats(Values values) {
  for (auto& [place, value] : values) value = static_cast<double>(static_cast<float>(value));
  return values;
}

/// Step -> each parameter's histogram.
std::map<int64_t, std::string> histograms_in(const nlohmann::json& events) {
  std::map<int64_t, std::string> histograms;
  for (const auto& event : events) {
    if (!event.contains("histograms")) continue;
    REQUIRE(histograms.emplace(event["step"].get<int64_t>(), event["histograms"].dump()).second);
  }
  return histograms;
}

std::string without_time(const std::string& jsonl) {
  std::string text;
  for (const std::string& line : lines_of(jsonl)) {
    const std::size_t begin = line.find("\"time_s\":");
    text += line.substr(0, begin) + line.substr(line.find_first_of(",}", begin)) + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("csv, jsonl and tensorboard have the same steps and values") {
  const TemporaryFolder folder;
  write_probe(folder, "batches: 6, val_losses: [3, 2.5]", "max_epochs: 2, log_every_n_steps: 2", kLoggers);
  const Outcome outcome = train(folder, {"--quiet"});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const auto run = run_folder(folder);
  const Values values = in_csv(run / "metrics.csv");
  CHECK(values.at({"val_loss", 5}) == 3);
  CHECK(values.at({"val_loss", 11}) == 2.5);
  CHECK(values.contains({"train_loss", 1}));
  CHECK(values.at({"lr", 11}) == 1);
  CHECK(in_jsonl(run / "metrics.jsonl") == values);
  const auto events = read_events(run / "tensorboard");
  CHECK(in_events(events) == as_floats(values));
  CHECK(events[2]["texts"]["config"] == "```yaml\n" + read_file(run / "config.yaml") + "```\n");

  std::map<int64_t, double> gradients;  // of batch i of an epoch: i + 1
  for (const auto& event : events) {
    if (!event.contains("histograms")) continue;
    REQUIRE(event["histograms"].size() == 1);  // the layers take no part in the loss
    const auto& histogram = event["histograms"]["gradients/w"];
    CHECK(histogram["num"] == 1);
    CHECK(histogram["sum_squares"] == std::pow(histogram["sum"].get<double>(), 2));
    gradients[event["step"].get<int64_t>()] = histogram["sum"].get<double>();
  }
  CHECK(gradients == std::map<int64_t, double>{{2, 3}, {5, 6}, {8, 3}, {11, 6}});
}

TEST_CASE("H30: after a SIGKILL every logger has whole rows, and the last second's") {
  const TemporaryFolder folder;
  write_probe(folder, "batches: 100000, ones: true, sleep_ms: 2", "max_epochs: 1, log_every_n_steps: 1",
              kLoggers);
  const auto run = run_folder(folder);
  LightrunProcess process(folder.path(), train_words({"--quiet"}));
  REQUIRE(wait_until([&] { return lines_of(read_file(run / "metrics.jsonl")).size() > 200; }));
  const auto now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch());
  process.signal(SIGKILL);
  REQUIRE(process.wait().exit_code == -SIGKILL);

  CHECK(read_file(run / "metrics.csv").ends_with('\n'));
  CHECK(read_file(run / "metrics.jsonl").ends_with('\n'));
  const auto events = read_events(run / "tensorboard");
  const auto last = [](const Values& values) { return values.rbegin()->first.second; };  // train_loss
  const auto csv_step = last(in_csv(run / "metrics.csv"));
  const auto jsonl_step = last(in_jsonl(run / "metrics.jsonl"));
  const auto event_step = last(in_events(events));
  CHECK(csv_step >= 200);
  CHECK(std::abs(csv_step - jsonl_step) <= 1);  // each row goes to one after the other
  CHECK(std::abs(csv_step - event_step) <= 1);
  double newest = 0;
  for (const auto& event : events) newest = std::max(newest, event.value("wall_time", 0.0));
  CHECK(now.count() - newest < 1);
}

TEST_CASE("a run that is killed again and again has every row once in all loggers") {
  const TemporaryFolder whole;
  const TemporaryFolder killed;
  const std::string config = R"(seed: 3
model: {plugin: digits, params: {hidden: [32], dropout: 0.3}}
trainer: {max_epochs: 60, accumulate_grad_batches: 3, val_check_interval: 7, log_every_n_steps: 2}
data: {batch_size: 32}
optimizer: {type: adam, lr: 2e-3}
callbacks: [{type: model_checkpoint, monitor: val_loss, every_n_train_steps: 2}]
)" + kLoggers;
  write_file(whole / "run.yaml", config);
  write_file(killed / "run.yaml", config);
  REQUIRE(train(whole, {"--quiet"}).exit_code == 0);
  std::mt19937 random(5);
  int kills = 0;
  while (kills < kills_wanted(5) && start_and_kill(killed, random, milliseconds(250))) ++kills;
  const Outcome last = train(killed, {"--resume", "auto", "--quiet"});
  CAPTURE(kills, last.err);
  REQUIRE(last.exit_code == 0);
  CHECK(kills == kills_wanted(5));
  const auto expected = newest_run(whole);
  const auto run = newest_run(killed);
  CHECK((rows_without_time(expected / "metrics.csv") == rows_without_time(run / "metrics.csv")));
  CHECK((without_time(read_file(expected / "metrics.jsonl")) ==
         without_time(read_file(run / "metrics.jsonl"))));
  const auto expected_events = read_events(expected / "tensorboard");
  const auto events = read_events(run / "tensorboard");
  CHECK((scalars_in(expected_events) == scalars_in(events)));
  CHECK((histograms_in(expected_events) == histograms_in(events)));
  CHECK(files_in(run / "tensorboard").size() > 1);
}

TEST_CASE("a logger that was not there before, or is elsewhere now, begins with what comes") {
  const TemporaryFolder folder;
  write_probe(folder, "batches: 4", "max_epochs: 1, log_every_n_steps: 1", "loggers: [csv]\n");
  REQUIRE(train(folder, {"--quiet"}).exit_code == 0);
  write_probe(folder, "batches: 4", "max_epochs: 2, log_every_n_steps: 1",
              "loggers: [tensorboard, {type: jsonl, file: more/rows.jsonl}, csv]\n");
  const Outcome outcome = train(folder, {"--resume", "last", "--quiet"});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK_FALSE(contains(outcome.err, "tensorboard"));
  CHECK_FALSE(contains(outcome.err, ".jsonl"));
  const auto steps = [](const Values& values) {
    std::set<int64_t> found;
    for (const auto& [place, value] : values) found.insert(place.second);
    return found;
  };
  const auto run = run_folder(folder);
  CHECK(steps(in_csv(run / "metrics.csv")) == std::set<int64_t>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(steps(in_jsonl(run / "more/rows.jsonl")) == std::set<int64_t>{4, 5, 6, 7});
  CHECK(steps(in_events(read_events(run / "tensorboard"))) == std::set<int64_t>{4, 5, 6, 7});
}
