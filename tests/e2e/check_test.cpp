#include "support/catch.hpp"

#include "e2e/lightrun_process.hpp"

#include <algorithm>

using namespace lightrun::tests;
namespace fs = std::filesystem;

namespace {

Outcome check(const TemporaryFolder& folder, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = {"check", "run.yaml", "--plugin-dir",
                                    LIGHTRUN_BUILD_DIR "/tests/plugins/e2e"};
  words.insert(words.end(), more.begin(), more.end());
  return run_lightrun(folder, words);
}

constexpr const char* kGood =
    "model: {plugin: probe, params: {batches: 4, val_losses: [0.5]}}\noptimizer: {type: sgd, lr: 1}\n";

}  // namespace

TEST_CASE("check finds nothing wrong with a good config, says what it has tried, and writes nothing") {
  const TemporaryFolder folder;
  write_file(folder / "run.yaml", kGood);
  const Outcome outcome = check(folder);
  CAPTURE(outcome.out, outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  CHECK(contains(outcome.out, "probe"));
  CHECK(contains(outcome.out, "training 4 batches, validation 1 batch"));
  CHECK(contains(outcome.out, "nothing wrong"));
  CHECK_FALSE(fs::exists(folder / "runs"));
}

TEST_CASE("check finds all of twelve faults in one go") {
  const TemporaryFolder folder;
  write_file(folder / "run.yaml",
             "sed: 1\n"          // 1
             "run: {dir: []}\n"  // 2
             "trainer:\n"
             "  max_epoch: 3\n"           // 3
             "  gradient_clip_val: -1\n"  // 4
             "  max_steps: 08\n"          // 5
             "  devices: [cuda:99]\n"     // 6
             "  terminate_on_nan: true\n"
             "  on_nonfinite: skip\n"                                       // 7
             "model: {plugin: probe, params: {hiden: 3, batches: many}}\n"  // 8, 9
             "optimizer: {type: sgd, lr: 1, nesterov: true}\n"              // 10
             "callbacks:\n"
             "  - {type: early_stoping}\n"                                        // 11
             "  - {type: model_checkpoint, save_top_k: 0, save_last: false}\n");  // 12
  const Outcome outcome = check(folder);
  CAPTURE(outcome.err);
  CHECK(outcome.exit_code == 3);
  for (const char* fault :
       {"run.yaml:1:1: sed: unknown key (did you mean seed?)", "run.yaml:2:12: run.dir: expected a text",
        "trainer.max_epoch: unknown key", "trainer.gradient_clip_val: must be >= 0, got -1",
        "trainer.max_steps: ", "trainer.devices: there is no cuda:99", "trainer.on_nonfinite: skip, but",
        "model.params.hiden: ", "(did you mean hidden?)",
        "model.params.batches: ", "optimizer.nesterov: needs",
        "callbacks.0.type: ", "(did you mean early_stopping?)", "callbacks.1.save_top_k: 0, and save_last"}) {
    CAPTURE(fault);
    CHECK(contains(outcome.err, fault));
  }
  CHECK_FALSE(fs::exists(folder / "runs"));
}

TEST_CASE("check finds what only model and data can show") {
  const TemporaryFolder folder;
  write_file(folder / "run.yaml", std::string(kGood) +
                                      "trainer: {val_check_interval: 9}\n"
                                      "callbacks: [{type: early_stopping, monitor: val_los}]\n");
  const Outcome interval = check(folder);
  CHECK(interval.exit_code == 3);
  CHECK(contains(interval.err, "trainer.val_check_interval: 9 is more than an epoch has (4 batches)"));
  const Outcome metric = check(folder, {"--val_check_interval", "1.0"});
  CHECK(metric.exit_code == 3);
  CHECK(contains(metric.err, "no metric 'val_los' was logged (did you mean val_loss?)"));
  write_file(folder / "run.yaml",
             "model: {plugin: faulty, params: {throw_at: 0}}\noptimizer: {type: sgd, lr: 1}\n");
  const Outcome fault = check(folder);
  CHECK(fault.exit_code == 5);
  CHECK(contains(fault.err, "training_step failed at epoch 0, batch 0"));
}

TEST_CASE("check looks at each part, whatever is wrong with the others") {
  const TemporaryFolder folder;
  write_file(folder / "run.yaml",
             "trainer: {val_check_interval: 50}\n"
             "model: {plugin: starter}\n"
             "data:\n"
             "  train: {source: synthetic}\n"
             "  val: {split: 0.2}\n"
             "  test: {source: csv, path: nowhere.csv}\n"
             "  predict: {source: csv, path: nowhere_too.csv}\n"
             "optimizer: {type: adam, groups: [{params: zzz, lr: 1}]}\n"
             "callbacks: [{type: freeze, params: yyy}, {type: plugin, name: xxx}]\n");
  const Outcome outcome = run_lightrun(folder, {"check", "run.yaml"});
  CAPTURE(outcome.err);
  CHECK(outcome.exit_code == 3);
  for (const char* fault :
       {"run.yaml:1:11: trainer.val_check_interval: 50 is more than an epoch has (25 batches)",
        "run.yaml:6:23: data.test.path: nowhere.csv: there is no such file",
        "run.yaml:7:26: data.predict.path: nowhere_too.csv: there is no such file",
        "optimizer.groups.0.params: 'zzz' is in no parameter's name",
        "callbacks.0.params: 'yyy' is in no parameter's name",
        "callbacks.1.name: no plugin has a callback called 'xxx'", "\nno batch was tried"}) {
    CAPTURE(fault);
    CHECK(contains(outcome.err, fault));
  }
}

TEST_CASE("check --print shows the config as it would be used") {
  const TemporaryFolder folder;
  write_file(folder / "run.yaml", kGood);
  const Outcome outcome = check(folder, {"--print", "--max_epochs", "7"});
  CHECK(outcome.exit_code == 0);
  CHECK(contains(outcome.out, "\n  max_epochs: 7\n"));
}

TEST_CASE("an error in a config shows the line, and one in a flag the command line, with a caret") {
  const TemporaryFolder folder;
  write_file(folder / "run.yaml", std::string(kGood) + "trainer: {max_epoch: 3}\n");
  const Outcome outcome = run_lightrun(folder, {"train", "run.yaml", "--seed", "x"});
  const auto lines = lines_of(outcome.err);
  CAPTURE(outcome.err);
  REQUIRE(lines.size() == 6);
  CHECK(lines[1] == "    3 | trainer: {max_epoch: 3}");
  CHECK(lines[2] == "      |           ^~~~~~~~~");
  CHECK(lines[4] == "      | lightrun train run.yaml --seed x");
  CHECK(lines[5] == "      |                         ^~~~~~~~");
}
