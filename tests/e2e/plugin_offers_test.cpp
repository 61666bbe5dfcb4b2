// Data and callbacks that plugins offer, named in a config.

#include "support/catch.hpp"

#include "e2e/lightrun_process.hpp"

using namespace lightrun::tests;

namespace {

const std::vector<std::string> kWords = {"train", "run.yaml", "--plugin-dir",
                                         LIGHTRUN_BUILD_DIR "/tests/plugins/e2e"};

const std::string kProbe =
    "model: {plugin: probe}\noptimizer: {type: sgd, lr: 1}\n"
    "trainer: {max_epochs: 3, log_every_n_steps: 1}\n";

Outcome train(const TemporaryFolder& folder, const std::string& more) {
  write_file(folder / "run.yaml", kProbe + more);
  return run_lightrun(folder, kWords);
}

}  // namespace

TEST_CASE("a plugin's source feeds the model, a plugin's callback takes part") {
  const TemporaryFolder folder;
  const Outcome outcome = train(folder,
                                "data: {batch_size: 1, shuffle: false, train: {source: plugin, name: ramp, "
                                "params: {count: 5, start: 10}}}\n"
                                "callbacks: [{type: plugin, name: stopper, params: {after: 2}}]\n");
  CAPTURE(outcome.out, outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(contains(outcome.out + outcome.err, "stopper: that is enough"));
  // w = 0 - 10, and the loss of the second batch is 11 * -10.
  CHECK(contains(read_file(folder / "runs/run/0/metrics.csv"), "-110"));
}

TEST_CASE("a plugin's random data follows from the seed, whatever the model draws") {
  const auto last_loss = [](const std::string& seed, const std::string& hidden) {
    const TemporaryFolder folder;
    write_file(folder / "run.yaml", "model: {plugin: probe, params: {hidden: " + hidden +
                                        "}}\nseed: " + seed +
                                        "\noptimizer: {type: sgd, lr: 1}\n"
                                        "trainer: {max_epochs: 2, log_every_n_steps: 1}\n"
                                        "data: {train: {source: plugin, name: noise}}\n");
    REQUIRE(run_lightrun(folder, kWords).exit_code == 0);
    std::string last;
    for (const auto& row : read_csv(folder / "runs/run/0/metrics.csv"))
      if (const auto& loss = row.at("train_loss"); !loss.empty()) last = loss;
    return last;
  };
  const std::string expected = last_loss("1", "3");
  CHECK(expected != "0");
  CHECK(last_loss("1", "5") == expected);
  CHECK(last_loss("2", "3") != expected);
}

TEST_CASE("wrong parameters of sources and callbacks are told with their places") {
  const TemporaryFolder folder;
  const Outcome source = train(folder, "data:\n  train: {source: plugin, name: ramp, params: {cuont: 5}}\n");
  CHECK(source.exit_code == 3);
  CHECK(contains(source.err, "run.yaml:5:48: data.train.params.cuont: unknown key (did you mean count?)"));
  const Outcome callback =
      train(folder, "callbacks:\n  - {type: plugin, name: stopper, params: {after: soon}}\n");
  CHECK(callback.exit_code == 3);
  CHECK(
      contains(callback.err, "run.yaml:5:51: callbacks.0.params.after: expected a whole number, got 'soon'"));
}

TEST_CASE("names that no plugin offers are told with their places and the nearest") {
  const TemporaryFolder folder;
  const Outcome source = train(folder, "data:\n  train: {source: plugin, name: rmap}\n");
  CHECK(source.exit_code == 4);
  CHECK(contains(source.err,
                 "run.yaml:5:27: data.train.name: no plugin has a source called 'rmap' (did you "
                 "mean ramp?)"));
  const Outcome callback = train(folder, "callbacks: [{type: plugin, name: stoper}]\n");
  CHECK(callback.exit_code == 4);
  CHECK(contains(callback.err,
                 "run.yaml:4:28: callbacks.0.name: no plugin has a callback called 'stoper' (did "
                 "you mean stopper?)"));
}

TEST_CASE("check tells all that is wrong with plugins' callbacks at once") {
  const TemporaryFolder folder;
  write_file(folder / "run.yaml", kProbe +
                                      "callbacks:\n"
                                      "  - {type: plugin, name: stoper}\n"
                                      "  - {type: plugin, name: stopper, params: {aftr: 1}}\n");
  auto words = kWords;
  words[0] = "check";
  const Outcome outcome = run_lightrun(folder, words);
  CHECK(contains(outcome.err, "run.yaml:5:20: callbacks.0.name: no plugin"));
  CHECK(contains(outcome.err, "run.yaml:6:44: callbacks.1.params.aftr: unknown key (did you mean after?)"));
}
