#include "e2e/faulty_run.hpp"
#include "support/catch.hpp"

#include <chrono>
#include <nlohmann/json.hpp>

using namespace lightrun::tests;
namespace fs = std::filesystem;

namespace {

/// Waits until the file holds a line of that text.
void wait_for(const fs::path& file, const std::string& text) {
  while (!fs::exists(file) || !contains(read_file(file), text)) usleep(5'000);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Every hook that is started in the trace is ended in it as often.
void check_balanced(const fs::path& trace) {
  std::map<std::string, int> calls;
  for (const std::string& line : lines_of(read_file(trace))) {
    const auto event = nlohmann::json::parse(line);
    if (event["who"] == "callback") ++calls[event["hook"].get<std::string>()];
  }
  for (const auto& [hook, count] : calls) {
    const auto at = hook.rfind("_start");
    if (at == std::string::npos) continue;
    CAPTURE(hook);
    CHECK(calls[hook.substr(0, at) + "_end"] == count);
  }
  CHECK(calls["on_train_end"] == 1);
  CHECK(calls["on_fit_end"] == 1);
  CHECK(calls["teardown"] == 1);
}

}  // namespace

TEST_CASE("lightrun test measures a checkpoint on the test data") {
  const TemporaryFolder folder;
  REQUIRE(run_lightrun(folder, {"train", shipped_config("digits.yaml"), "--max_epochs", "3"}).exit_code == 0);
  const std::string best = (folder / "runs/digits/0/checkpoints/best.ckpt").string();
  const Outcome outcome = run_lightrun(
      folder, {"test", shipped_config("digits.yaml"), "--checkpoint", best, "--trace", "t.jsonl"});
  CAPTURE(outcome.out, outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const auto lines = lines_of(outcome.out);
  const auto accuracy = std::find_if(lines.begin(), lines.end(),
                                     [](const std::string& line) { return line.starts_with("test_acc"); });
  REQUIRE(accuracy != lines.end());
  CHECK(std::stod(accuracy->substr(accuracy->rfind(' '))) > 0.9);
  CHECK(contains(read_file(folder / "t.jsonl"), "on_test_epoch_end"));
  CHECK_FALSE(fs::exists(folder / "runs/digits/1"));

  const Outcome again = run_lightrun(folder, {"test", shipped_config("digits.yaml"), "--checkpoint", best,
                                              "--quiet", "--limit_test_batches", "1"});
  CHECK(contains(again.out, "test_acc"));
  CHECK(again.out != outcome.out);
}

TEST_CASE("weights that are not this model's are refused, every difference listed") {
  const TemporaryFolder folder;
  const std::string config = shipped_config("digits.yaml");
  REQUIRE(run_lightrun(folder, {"train", config, "--max_epochs", "1"}).exit_code == 0);
  const std::string last = (folder / "runs/digits/0/checkpoints/last.ckpt").string();
  const Outcome other =
      run_lightrun(folder, {"test", config, "--checkpoint", last, "--model.params.hidden", "[16, 128]"});
  CHECK(other.exit_code == 5);
  CHECK(contains(other.err, "net.1.weight: [256, 64] Float in the file, [16, 64] Float in the model"));

  const auto err_of = [&](const std::vector<std::string>& arguments) {
    const Outcome outcome = run_lightrun(folder, arguments);
    CHECK(outcome.exit_code >= 2);
    return outcome.err;
  };
  CHECK(contains(err_of({"test", config}), "--checkpoint FILE is missing"));
  CHECK(
      contains(err_of({"test", config, "--checkpoint", "no.ckpt"}), "no.ckpt: cannot be read: No such file"));
  const std::string whole = read_file(last);
  write_file(folder / "cut.ckpt", whole.substr(0, whole.size() - 1));
  CHECK(contains(err_of({"test", config, "--checkpoint", "cut.ckpt"}), "cut.ckpt: is truncated"));
  write_file(folder / "text.ckpt", "model: {plugin: digits}\n");
  CHECK(contains(err_of({"test", config, "--checkpoint", "text.ckpt"}), "text.ckpt: is no safetensors file"));
}

TEST_CASE("H28: the first signal says what it does, and a validation under way ends at once, uncounted") {
  const TemporaryFolder folder;
  write_file(folder / "run.yaml",
             "model: {plugin: faulty, params: {batches: 2, val_batches: 1000, val_sleep_ms: 20}}\n"
             "trainer: {max_epochs: 9, num_sanity_val_steps: 0}\n"
             "optimizer: {type: sgd, lr: 1}\n");
  LightrunProcess process(folder.path(),
                          {"train", "run.yaml", "--plugin-dir", kPlugins, "--trace", "trace.jsonl"});
  wait_for(folder / "trace.jsonl", "on_validation_batch_end");
  const auto start = std::chrono::steady_clock::now();
  process.signal(SIGINT);
  const Outcome outcome = process.wait();
  CHECK(outcome.exit_code == 130);
  CHECK(seconds_since(start) < 5);
  CHECK(contains(outcome.err, "stopping after this batch; once more to leave at once"));
  CHECK(fs::exists(folder / "runs/run/0/checkpoints/last.ckpt"));
  CHECK_FALSE(fs::exists(folder / "runs/run/0/checkpoints/best.ckpt"));
  CHECK_FALSE(contains(read_file(folder / "runs/run/0/metrics.csv"), "val_loss"));
  check_balanced(folder / "trace.jsonl");
}

TEST_CASE("H28: a second signal leaves at once") {
  const TemporaryFolder folder;
  write_file(folder / "run.yaml",
             "model: {plugin: faulty, params: {batches: 2, sleep_ms: 60000}}\n"
             "optimizer: {type: sgd, lr: 1}\n");
  LightrunProcess process(folder.path(),
                          {"train", "run.yaml", "--plugin-dir", kPlugins, "--trace", "trace.jsonl"});
  wait_for(folder / "trace.jsonl", "training_step");
  process.signal(SIGINT);
  wait_for(folder / "stderr.txt", "stopping");
  process.signal(SIGTERM);
  CHECK(process.wait().exit_code == 143);
}

TEST_CASE("H35: the trace is balanced on every way out") {
  struct Way {
    const char* what;
    std::string params;
    std::vector<std::string> flags;
    int exit_code;
  };
  const Way ways[] = {
      {"early stop",
       "{val_batches: 1}",
       {"--callbacks", "[{type: early_stopping, monitor: val_loss, mode: max, patience: 2}]"},
       0},
      {"max_steps in mid-epoch", "{val_batches: 1}", {"--max_steps", "7"}, 0},
      {"an exception", "{throw_at: 7, val_batches: 1}", {}, 5},
      {"not finite", "{nan_at: 7}", {"--terminate_on_nan", "true"}, 6},
  };
  for (const auto& [what, params, flags, exit_code] : ways) {
    CAPTURE(what);
    const TemporaryFolder folder;
    auto all = flags;
    all.insert(all.end(), {"--trace", "trace.jsonl"});
    const Outcome outcome = train_faulty(folder, params, all);
    CAPTURE(outcome.err);
    CHECK(outcome.exit_code == exit_code);
    check_balanced(folder / "trace.jsonl");
    const auto rows = read_csv(folder / "runs/run/0/metrics.csv");
    CHECK_FALSE(rows.empty());
  }
}

TEST_CASE(
    "a metric that nobody logs is warned about after the first batch, and is a config error at its place") {
  const TemporaryFolder folder;
  const Outcome outcome =
      train_faulty(folder, "{val_batches: 1}", {"--callbacks", "[{type: early_stopping, monitor: val_los}]"});
  CHECK(outcome.exit_code == 3);
  const auto lines = lines_of(outcome.err);
  CAPTURE(outcome.err);
  REQUIRE(lines.size() == 5);  // the last two show the flag
  CHECK(contains(lines[0], "no metric 'val_los' was logged (did you mean val_loss?)"));
  CHECK(contains(lines[0], "so far"));
  CHECK(contains(lines[1], "last.ckpt has the weights of before the error"));
  CHECK(contains(lines[2], "callbacks.0.monitor: no metric 'val_los' was logged (did you mean val_loss?)"));
}

TEST_CASE("profiler: simple prints a table of every action at the end") {
  const TemporaryFolder folder;
  const Outcome outcome = train_faulty(folder, "{sleep_ms: 1}", {"--profiler", "simple"});
  CHECK(outcome.exit_code == 0);
  const auto lines = lines_of(outcome.out);
  const auto row = std::find_if(lines.begin(), lines.end(),
                                [](const std::string& line) { return line.starts_with("training_step "); });
  REQUIRE(row != lines.end());
  CHECK(contains(*row, " 20 "));  // 4 epochs of 5 batches
  CHECK(contains(*row, " ms "));
  for (const char* action : {"get_train_batch", "backward", "optimizer_step", "save_checkpoint"}) {
    CAPTURE(action);
    CHECK(contains(outcome.out, action));
  }
}

TEST_CASE("what is switched off is not made: checkpoints, the parameter table") {
  const TemporaryFolder folder;
  const Outcome outcome =
      train_faulty(folder, "{}", {"--enable_checkpointing", "false", "--enable_model_summary", "false"});
  CHECK(outcome.exit_code == 0);
  CHECK_FALSE(fs::exists(folder / "runs/run/0/checkpoints"));
  CHECK(fs::exists(folder / "runs/run/0/metrics.csv"));
  CHECK_FALSE(contains(outcome.out, "trainable"));
}

TEST_CASE("run.checkpoint_dir keeps the checkpoints elsewhere, each run its own") {
  const TemporaryFolder folder;
  const std::vector<std::string> flags = {"--run.checkpoint_dir", "kept"};
  CHECK(train_faulty(folder, "{}", flags).exit_code == 0);
  CHECK(train_faulty(folder, "{}", flags).exit_code == 0);
  CHECK(fs::exists(folder / "kept/run/0/last.ckpt"));
  CHECK(fs::exists(folder / "kept/run/1/last.ckpt"));
  const Outcome taken = train_faulty(folder, "{}", {"--run.checkpoint_dir", "kept", "--run.dir", "other"});
  CHECK(taken.exit_code != 0);
  CHECK(contains(taken.err, "kept/run/0 is there already"));
}

TEST_CASE("H20: more batches than there are is said") {
  const TemporaryFolder folder;
  const Outcome outcome = train_faulty(folder, "{}", {"--limit_train_batches", "8"});
  CHECK(outcome.exit_code == 0);
  CHECK(contains(outcome.err, "trainer.limit_train_batches: 8 batches, but there are only 5"));
}

TEST_CASE("an accumulation longer than the epoch is warned about, and takes one step an epoch") {
  const TemporaryFolder folder;
  const Outcome outcome = train_faulty(folder, "{}", {"--accumulate_grad_batches", "9"});
  CHECK(outcome.exit_code == 0);
  CHECK(contains(outcome.err, "9 batches a step, but an epoch has only 5: there is one step an epoch"));
  CHECK(read_csv(folder / "runs/run/0/metrics.csv").size() == 4);
}
