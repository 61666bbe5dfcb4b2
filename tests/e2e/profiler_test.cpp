#include "e2e/faulty_run.hpp"
#include "support/catch.hpp"
#include "support/chrome_trace_file.hpp"
#include "support/small_disk.hpp"

#include <set>

using namespace lightrun::tests;
namespace fs = std::filesystem;

namespace {

constexpr auto kProfile = "runs/run/0/profile.json";

Outcome train_with_trace(const TemporaryFolder& folder, const std::string& params,
                         std::vector<std::string> flags = {}) {
  flags.insert(flags.end(), {"--profiler", "chrome"});
  return train_faulty(folder, params, flags);
}

}  // namespace

TEST_CASE("profiler: chrome writes every hook, and LibTorch's operators inside them") {
  const TemporaryFolder folder;
  const Outcome outcome = run_lightrun(folder, {"train", shipped_config("digits.yaml"), "--max_epochs", "1",
                                                "--limit_train_batches", "7", "--profiler", "chrome"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const auto trace = read_chrome_trace(folder / "runs/digits/0/profile.json");
  CHECK(trace.process_name == "lightrun runs/digits/0");
  std::set<std::string> threads;
  for (const auto& [tid, name] : trace.thread_names) threads.insert(name);
  CHECK(threads == std::set<std::string>{"checkpoints", "training"});
  for (const char* hook : {"on_train_batch_start", "training_step", "backward", "on_after_backward",
                           "optimizer_step", "optimizer_zero_grad", "on_train_batch_end"}) {
    CAPTURE(hook);
    CHECK(trace.count(hook) == 7);
  }
  for (const auto& step : trace.named("training_step")) {
    CHECK(step.category == "hook");
    CHECK(trace.count_inside(step, "aten::addmm") == 3);  // the layers of the perceptron
    CHECK(trace.count_inside(step, "aten::mm") == 0);
  }
  for (const auto& backward : trace.named("backward")) {
    CHECK(trace.count_inside(backward, "aten::mm") == 5);  // of weights, and of inputs but for the first
    CHECK(trace.count_inside(backward, "AddmmBackward0") == 3);
    CHECK(trace.count_inside(backward, "aten::addmm") == 0);
  }
  const auto lines = lines_of(outcome.out);
  CHECK(lines.back() == "runs/digits/0/profile.json: hooks and operators over time, for ui.perfetto.dev");
  CHECK(contains(outcome.out, "\ntraining_step "));  // the table
}

TEST_CASE("profiler: chrome has the operators of the first 100 batches and all hooks") {
  const TemporaryFolder folder;
  const Outcome outcome = train_with_trace(folder, "{batches: 26}");
  REQUIRE(outcome.exit_code == 0);
  const auto trace = read_chrome_trace(folder / kProfile);
  const auto steps = trace.named("training_step");
  REQUIRE(steps.size() == 104);
  CHECK(trace.operators_inside(steps[0]) > 0);
  CHECK(trace.operators_inside(steps[99]) > 0);
  CHECK(trace.operators_inside(steps[100]) == 0);
  CHECK(contains(lines_of(outcome.out).back(), "; operators of the first 100 batches"));
}

TEST_CASE("profiler: chrome leaves a whole file when a hook throws") {
  const TemporaryFolder folder;
  REQUIRE(train_with_trace(folder, "{throw_at: 7}").exit_code == 5);
  const auto trace = read_chrome_trace(folder / kProfile);
  CHECK(trace.count("training_step") == 8);
  CHECK(trace.count("backward") == 7);
  CHECK(trace.count("on_exception") == 1);
  CHECK(trace.count("on_fit_end") == 1);
}

TEST_CASE("profiler: chrome leaves a whole file after SIGTERM") {
  const TemporaryFolder folder;
  write_file(folder / "run.yaml",
             "model: {plugin: faulty, params: {sleep_ms: 10}}\n"
             "trainer: {max_epochs: -1, profiler: chrome}\noptimizer: {type: sgd, lr: 1}\n");
  LightrunProcess process(folder.path(), {"train", "run.yaml", "--plugin-dir", lightrun::tests::kPlugins,
                                          "--trace", "trace.jsonl"});
  while (!fs::exists(folder / "trace.jsonl") ||
         !contains(read_file(folder / "trace.jsonl"), "on_train_batch_end"))
    usleep(5'000);
  process.signal(SIGTERM);
  REQUIRE(process.wait().exit_code == 143);
  const auto trace = read_chrome_trace(folder / kProfile);
  CHECK(trace.count("training_step") >= 1);
  CHECK(trace.count("training_step") == trace.count("on_train_batch_end"));
  CHECK(trace.count("on_keyboard_interrupt") == 1);
  CHECK(trace.count("on_fit_end") == 1);
}

TEST_CASE("profiler: chrome leaves a whole file, up to the last second or two, when the process is killed") {
  const TemporaryFolder folder;
  REQUIRE(train_with_trace(folder, "{sleep_ms: 300, abort_at: 5}").exit_code == -SIGABRT);
  CHECK(read_chrome_trace(folder / kProfile).count("training_step") >= 4);
}

TEST_CASE("profiler: chrome writes a file of its own for each process of a resumed run") {
  const TemporaryFolder folder;
  REQUIRE(train_with_trace(folder, "{}", {"--max_epochs", "1"}).exit_code == 0);
  const std::string first = read_file(folder / kProfile);
  const Outcome resumed = train_with_trace(folder, "{}", {"--max_epochs", "3", "--resume", "last"});
  CAPTURE(resumed.err);
  REQUIRE(resumed.exit_code == 0);
  CHECK(read_file(folder / kProfile) == first);
  CHECK(read_chrome_trace(folder / kProfile).count("training_step") == 5);
  CHECK(read_chrome_trace(folder / "runs/run/0/profile-2.json").count("training_step") == 10);
  CHECK(contains(lines_of(resumed.out).back(), "profile-2.json"));
}

TEST_CASE("profiler: chrome warns once of a full disk, and the run goes on") {
  const TemporaryFolder folder;
  const Outcome outcome = [&] {
    const SmallDisk disk(100'000);
    return train_with_trace(folder, "{batches: 50}",
                            {"--enable_checkpointing", "false", "--log_every_n_steps", "1000"});
  }();
  CAPTURE(outcome.err);
  CHECK(outcome.exit_code == 0);
  const std::string warning = "cannot write runs/run/0/profile.json: File too large; the run goes on without";
  const auto lines = lines_of(outcome.err);
  CHECK(std::ranges::count_if(lines, [&](const auto& line) { return contains(line, warning); }) == 1);
  CHECK_FALSE(contains(outcome.out, "profile.json"));
  CHECK(read_chrome_trace(folder / kProfile).count("training_step") > 0);
}

TEST_CASE("profiler: chrome says where there is no folder for it") {
  const TemporaryFolder folder;
  const std::string warning = "trainer.profiler: there is no run's folder to write a trace into";
  const Outcome outcome = train_with_trace(folder, "{}", {"--fast_dev_run", "true"});
  CHECK(outcome.exit_code == 0);
  CHECK(contains(outcome.err, warning));
  CHECK(contains(outcome.out, "\ntraining_step "));
  CHECK_FALSE(fs::exists(folder / "runs"));
  const Outcome check = run_lightrun(
      folder, {"check", "run.yaml", "--plugin-dir", lightrun::tests::kPlugins, "--profiler", "chrome"});
  CHECK(check.exit_code == 0);
  CHECK_FALSE(contains(check.err, warning));
}
