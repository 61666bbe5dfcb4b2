#include "e2e/faulty_run.hpp"
#include "e2e/safetensors_bytes.hpp"
#include "support/catch.hpp"

#include <cstring>

using namespace lightrun::tests;
namespace fs = std::filesystem;

namespace {

void check_nothing_was_made(const TemporaryFolder& folder) {
  CHECK_FALSE(fs::exists(folder / "runs"));
}

}  // namespace

TEST_CASE("H17: a misspelt flag is a usage error with the suggestion") {
  const TemporaryFolder folder;
  const Outcome outcome = run_lightrun(folder, {"train", shipped_config("digits.yaml"), "--max_epoch", "2"});
  CHECK(outcome.exit_code == 2);
  CHECK(contains(outcome.err, "--max_epoch"));
  CHECK(contains(outcome.err, "max_epochs"));
  CHECK(lines_of(outcome.err).size() == 3);
  check_nothing_was_made(folder);
}

TEST_CASE("three faults in a config are said at once, each with its place and its line") {
  const TemporaryFolder folder;
  write_file(folder / "bad.yaml",
             "model: {plugin: digits}\n"
             "trainer:\n"
             "  max_epoch: 3\n"
             "  gradient_clip_val: -1\n"
             "optimizer: {type: adamm}\n");
  const Outcome outcome = run_lightrun(folder, {"train", "bad.yaml"});
  CHECK(outcome.exit_code == 3);
  const auto lines = lines_of(outcome.err);
  CAPTURE(outcome.err);
  REQUIRE(lines.size() == 9);
  CHECK(lines[0].starts_with("bad.yaml:3:3: trainer.max_epoch: unknown key (did you mean max_epochs?)"));
  CHECK(lines[1] == "    3 |   max_epoch: 3");
  CHECK(lines[3].starts_with("bad.yaml:4:22: trainer.gradient_clip_val: "));
  CHECK(lines[6].starts_with("bad.yaml:5:19: optimizer.type: "));
  check_nothing_was_made(folder);
}

TEST_CASE("H20: a fraction that gives no batch is a config error with its place") {
  const TemporaryFolder folder;
  write_file(folder / "run.yaml",
             "model: {plugin: faulty, params: {batches: 9}}\n"
             "trainer:\n"
             "  limit_train_batches: 0.1\n"
             "optimizer: {type: sgd}\n");
  const Outcome outcome = run_lightrun(folder, {"train", "run.yaml", "--plugin-dir", kPlugins});
  CHECK(outcome.exit_code == 3);
  CHECK(contains(outcome.err, "run.yaml:3:"));
  CHECK(contains(outcome.err, "trainer.limit_train_batches: 0.1 of 9 batches is none"));
  check_nothing_was_made(folder);
}

TEST_CASE("an unknown model parameter, and a missing optimizer, are config errors") {
  const TemporaryFolder folder;
  const Outcome unknown = train_faulty(folder, "{batchs: 3}");
  CHECK(unknown.exit_code == 3);
  CHECK(contains(unknown.err, "model.params.batchs: "));
  CHECK(contains(unknown.err, "batches"));
  check_nothing_was_made(folder);

  write_file(folder / "run.yaml", "model: {plugin: faulty}\nmax_epochs: 1\n");
  const Outcome missing = run_lightrun(folder, {"train", "run.yaml", "--plugin-dir", kPlugins});
  CHECK(missing.exit_code == 3);
  CHECK(contains(missing.err, "optimizer: "));
  check_nothing_was_made(folder);
}

TEST_CASE("plugins that cannot be used give exit code 4, one line, and the place in the config") {
  const TemporaryFolder folder;
  write_file(folder / "text.so", "not a library");
  for (const std::string plugin : {"./text.so", "./missing.so", "digit"}) {
    write_file(folder / "run.yaml", "model: {plugin: " + plugin + "}\noptimizer: {type: sgd}\n");
    const Outcome outcome = run_lightrun(folder, {"train", "run.yaml"});
    CAPTURE(plugin, outcome.err);
    CHECK(outcome.exit_code == 4);
    CHECK(lines_of(outcome.err).size() == 3);
    CHECK(outcome.err.starts_with("run.yaml:1:9: model.plugin: "));
    check_nothing_was_made(folder);
  }
}

TEST_CASE("H30: an exception in a step names hook and batch, and every row before it is there") {
  const TemporaryFolder folder;
  const Outcome outcome = train_faulty(folder, "{throw_at: 12}");
  CHECK(outcome.exit_code == 5);
  CAPTURE(outcome.err);
  CHECK(contains(outcome.err, "training_step failed at epoch 2, batch 2, step 12"));
  CHECK(contains(outcome.err, "boom"));
  CHECK(contains(read_file(folder / "runs/run/0/log.txt"), "boom"));
  const auto rows = read_csv(folder / "runs/run/0/metrics.csv");
  REQUIRE(rows.size() == 12);
  for (std::size_t i = 0; i < rows.size(); ++i) CHECK(rows[i].at("step") == std::to_string(i));
}

TEST_CASE("H30: a plugin that aborts loses no row") {
  const TemporaryFolder folder;
  const Outcome outcome = train_faulty(folder, "{abort_at: 12}");
  CHECK(outcome.exit_code == -SIGABRT);
  CHECK(read_csv(folder / "runs/run/0/metrics.csv").size() == 12);
}

TEST_CASE("an error of LibTorch is its first line, without a stack trace") {
  const TemporaryFolder folder;
  const Outcome outcome = train_faulty(folder, "{torch_error_at: 3}");
  CHECK(outcome.exit_code == 5);
  CAPTURE(outcome.err);
  const auto lines = lines_of(outcome.err);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] ==
        "warning: last.ckpt has the weights of before the error: step 3; --resume last goes on from there");
  CHECK(contains(lines[1], "training_step failed at epoch 0, batch 3, step 3"));
  CHECK(contains(lines[1], "mat1 and mat2 shapes cannot be multiplied"));
}

TEST_CASE("H06: after a stop for a NaN last.ckpt has the last good weights, of the step before") {
  const TemporaryFolder folder;
  const Outcome outcome = train_faulty(folder, "{nan_at: 7}", {"--terminate_on_nan", "true"});
  CHECK(outcome.exit_code == 6);
  CHECK(contains(outcome.err, "the loss is nan at epoch 1, batch 2, step 7"));
  const auto last = folder / "runs/run/0/checkpoints/last.ckpt";
  CHECK(contains(read_file(last), "\\\"global_step\\\":7"));
  double weight = 0;
  std::memcpy(&weight, tensor_bytes(last).at("w").data(), sizeof weight);
  CHECK(weight == -18);
}

TEST_CASE("an error is reported at the hook and the batch it came from, also of a validation") {
  const TemporaryFolder folder;
  const Outcome outcome = train_faulty(folder, "{val_batches: 3, val_throw_at: 3}");
  CHECK(outcome.exit_code == 5);
  CHECK(contains(outcome.err, "validation_step failed at epoch 0, validation batch 1, step 4"));
  CHECK(contains(outcome.err, "last.ckpt has the weights of before the error: step 5"));
}

TEST_CASE("a data hook that throws ends before a folder is made") {
  const TemporaryFolder folder;
  const Outcome outcome = train_faulty(folder, "{data_fails: true}");
  CHECK(outcome.exit_code == 5);
  CHECK(contains(outcome.err, "train_dataloader failed: no such table"));
  check_nothing_was_made(folder);
}

TEST_CASE("H28: the first SIGINT or SIGTERM finishes the batch, saves, and exits with 128 + n") {
  for (const int number : {SIGINT, SIGTERM}) {
    const TemporaryFolder folder;
    write_file(folder / "run.yaml",
               "model: {plugin: faulty, params: {batches: 100, sleep_ms: 20}}\n"
               "trainer: {max_epochs: 1000, log_every_n_steps: 1}\n"
               "optimizer: {type: sgd, lr: 1}\n");
    LightrunProcess process(folder.path(),
                            {"train", "run.yaml", "--plugin-dir", kPlugins, "--trace", "trace.jsonl"});
    const fs::path metrics = folder / "runs/run/0/metrics.csv";
    while (!fs::exists(metrics) || lines_of(read_file(metrics)).size() < 5) usleep(10'000);
    process.signal(number);
    const Outcome outcome = process.wait();
    CHECK(outcome.exit_code == 128 + number);
    CHECK(fs::exists(folder / "runs/run/0/checkpoints/last.ckpt"));
    const std::string trace = read_file(folder / "trace.jsonl");
    CHECK(contains(trace, "on_keyboard_interrupt"));
    CHECK(contains(trace, "on_train_end"));
    CHECK(contains(trace, "teardown"));
  }
}

TEST_CASE("H29: a plugin with static tensors ends with the training's own exit code") {
  const TemporaryFolder folder;
  CHECK(train_faulty(folder, "{}").exit_code == 0);
  CHECK(train_faulty(folder, "{throw_at: 1}").exit_code == 5);
}

TEST_CASE("a call without a config, and a misspelt command, are usage errors that say what to type") {
  const TemporaryFolder folder;
  const Outcome nothing = run_lightrun(folder, {"train"});
  CHECK(nothing.exit_code == 2);
  CHECK(contains(nothing.err, "lightrun train configs/digits.yaml"));
  const Outcome misspelt = run_lightrun(folder, {"trian", "run.yaml"});
  CHECK(misspelt.exit_code == 2);
  CHECK(contains(misspelt.err, "did you mean train?"));
}

TEST_CASE("flags may stand before the config file") {
  const TemporaryFolder folder;
  write_file(folder / "run.yaml", "model: {plugin: faulty}\noptimizer: {type: sgd}\n");
  const Outcome outcome =
      run_lightrun(folder, {"train", "--max_epochs", "2", "--seed=3", "run.yaml", "--plugin-dir", kPlugins});
  CAPTURE(outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK(contains(read_file(folder / "runs/run/0/config.yaml"), "max_epochs: 2\n"));
}

TEST_CASE("a trace that cannot be written ends the run at its first line, and only says that") {
  const TemporaryFolder folder;
  const Outcome outcome = train_faulty(folder, "{}", {"--trace", "/dev/full"});
  CHECK(outcome.exit_code == 5);
  const auto lines = lines_of(outcome.err);
  CAPTURE(outcome.err);
  REQUIRE(lines.size() == 1);
  CHECK(contains(lines[0], "--trace /dev/full: cannot be written: No space left on device"));
}
