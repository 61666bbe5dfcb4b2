// Callbacks of the config in whole runs.

#include "support/catch.hpp"

#include "e2e/lightrun_process.hpp"

using namespace lightrun::tests;

namespace {

Outcome train(const TemporaryFolder& folder, const std::string& config) {
  write_file(folder / "run.yaml", config);
  return run_lightrun(folder, {"train", "run.yaml", "--plugin-dir", LIGHTRUN_BUILD_DIR "/tests/plugins/e2e"});
}

/// The values of a column, "" where there is none.
std::vector<std::string> column(const TemporaryFolder& folder, const std::string& name) {
  std::vector<std::string> values;
  for (const auto& row : read_csv(folder / "runs/run/0/metrics.csv")) values.push_back(row.at(name));
  return values;
}

const std::string kProbe =
    "model: {plugin: probe, params: {batches: 2}}\n"
    "trainer: {max_epochs: 2, log_every_n_steps: 1}\n";
const std::string kGroups = "optimizer: {type: sgd, lr: 1, groups: [{params: '^w$', lr: 0.5}]}\n";

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("lr_monitor logs every group's rate once a step, or once an epoch") {
  const TemporaryFolder steps;
  REQUIRE(train(steps, kProbe + kGroups + "callbacks: [lr_monitor]\n").exit_code == 0);
  const auto first = read_csv(steps / "runs/run/0/metrics.csv").front();
  CHECK(first.at("lr") == "0.5");
  CHECK(first.at("lr/0") == "0.5");
  CHECK(first.at("lr/1") == "1");
  const TemporaryFolder epochs;
  REQUIRE(train(epochs, kProbe + kGroups + "callbacks: [{type: lr_monitor, logging_interval: epoch}]\n")
              .exit_code == 0);
  Texts rates = column(epochs, "lr");
  std::erase(rates, "");
  CHECK(rates == Texts{"0.5", "0.5"});
}

TEST_CASE("a timer that has run out stops the run, and says so") {
  const TemporaryFolder folder;
  const Outcome outcome = train(folder, kProbe + kGroups + "callbacks: [{type: timer, duration: 1e-9}]\n");
  CHECK(outcome.exit_code == 0);
  const std::string log = read_file(folder / "runs/run/0/log.txt");
  CHECK(contains(log, "are over"));
  CHECK(contains(log, " of training"));
  CHECK(contains(read_file(folder / "runs/run/0/run.json"), "timer: "));
}

TEST_CASE("a gradient_accumulation_scheduler makes the steps that accumulate_grad_batches would make") {
  const TemporaryFolder folder;
  const Outcome outcome =
      train(folder,
            "model: {plugin: probe, params: {batches: 4}}\noptimizer: {type: sgd, lr: 1}\n"
            "trainer: {max_epochs: 2, log_every_n_steps: 1}\n"
            "callbacks: [{type: gradient_accumulation_scheduler, scheduling: {1: 2}}]\n");
  REQUIRE(outcome.exit_code == 0);
  Texts losses = column(folder, "lr");
  std::erase(losses, "");
  CHECK(losses.size() == 4 + 2);
  CHECK(contains(read_file(folder / "runs/run/0/config.yaml"), "scheduling:"));
}

TEST_CASE("patterns that fit no parameter are told with their places") {
  const TemporaryFolder folder;
  const Outcome freeze = train(folder, kProbe + kGroups + "callbacks: [{type: freeze, params: layr}]\n");
  CHECK(freeze.exit_code == 3);
  CHECK(contains(freeze.err,
                 "run.yaml:4:28: callbacks.0.params: 'layr' is in no parameter's name; there are w"));
  const Outcome groups = train(folder, kProbe + "optimizer: {type: sgd, groups: [{lr: 1, params: layr}]}\n");
  CHECK(groups.exit_code == 3);
  CHECK(contains(groups.err, "run.yaml:3:41: optimizer.groups.0.params: 'layr' is in no parameter's name"));
}

TEST_CASE("averaged weights are written with their batch norms' statistics, and can be tested") {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_lightrun(folder, {"train", shipped_config("digits.yaml"), "--max_epochs=4", "--run.name=run",
                            "--quiet", "--callbacks", "[{type: swa, swa_lrs: 0.001, swa_epoch_start: 2}]"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const Outcome tested = run_lightrun(
      folder, {"test", shipped_config("digits.yaml"), "--checkpoint", "runs/run/0/averaged.safetensors"});
  CAPTURE(tested.out, tested.err);
  REQUIRE(tested.exit_code == 0);
  CHECK(contains(tested.out, "test_acc"));
}

TEST_CASE("plan and check take every callback and show the groups") {
  const TemporaryFolder folder;
  write_file(folder / "run.yaml",
             kProbe + kGroups +
                 "callbacks: [lr_monitor, {type: timer, duration: 1h}, {type: freeze, params: layer}, ema,\n"
                 "  {type: swa, swa_lrs: 1}, {type: gradient_accumulation_scheduler, scheduling: 2}]\n");
  const std::vector<std::string> dir = {"--plugin-dir", LIGHTRUN_BUILD_DIR "/tests/plugins/e2e"};
  for (const Texts& words : {Texts{"plan", "run.yaml", "--hooks"}, Texts{"check", "run.yaml"}}) {
    Texts all = words;
    all.insert(all.end(), dir.begin(), dir.end());
    const Outcome outcome = run_lightrun(folder, all);
    CAPTURE(outcome.out, outcome.err);
    CHECK(outcome.exit_code == 0);
    if (words.front() == "plan") CHECK(contains(outcome.out, "SGD, 2 groups: 1 parameter with lr 0.5, "));
  }
}
