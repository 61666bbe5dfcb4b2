// The field reports about resuming (H02 to H05, H12, H22 to H25, H28), each with the report's figures.

#include "support/catch.hpp"

#include "e2e/kill_resume/resumed_runs.hpp"

#include <sys/stat.h>

#include <cmath>

using namespace lightrun::tests;
using std::chrono::microseconds;
using std::chrono::milliseconds;
namespace fs = std::filesystem;

namespace {

/// Starts a run whose batches take a while, and kills it once its last.ckpt is of this step.
void kill_after_step(const TemporaryFolder& folder, int64_t step, const std::vector<std::string>& more = {}) {
  LightrunProcess process(folder.path(), train_words({"--quiet"}) + more);
  const auto last = checkpoint_file(folder);
  REQUIRE(wait_until([&] {
    return process.has_ended() ||
           (fs::exists(last) && lightrun::state::read_checkpoint_head(last).run.steps_done() >= step);
  }));
  process.signal(SIGKILL);
  REQUIRE(process.wait().exit_code == -SIGKILL);
  REQUIRE(step_in(last) == step);
}

}  // namespace

TEST_CASE("H02: a resumed run goes on at the decayed rate") {
  const TemporaryFolder folder;
  write_probe(folder, "batches: 6, ones: true, sleep_ms: 150", "max_epochs: 1, log_every_n_steps: 1",
              "scheduler: {type: step, step_size: 1, gamma: 0.5, interval: step}\n" +
                  model_checkpoint("every_n_train_steps: 1"));
  kill_after_step(folder, 3);
  const Outcome resumed = train(folder, {"--resume", "last", "--quiet"});
  REQUIRE(resumed.exit_code == 0);
  CHECK(weight_in(checkpoint_file(folder)) == -1.96875);
  const auto rows = read_csv(run_folder(folder) / "metrics.csv");
  REQUIRE(rows.size() >= 6);
  CHECK(rows.at(3).at("step") == "3");
  CHECK(rows.at(3).at("lr") == "0.125");
}

TEST_CASE("H03: a run killed in the middle of an epoch goes on with the next unseen batch") {
  const TemporaryFolder folder;
  write_probe(folder, "batches: 10, sleep_ms: 60", "max_epochs: 3",
              model_checkpoint("every_n_train_steps: 4"));
  kill_after_step(folder, 12);
  const Outcome resumed = train(folder, {"--resume", "last", "--quiet", "--trace", "trace.jsonl"});
  REQUIRE(resumed.exit_code == 0);
  CHECK(step_in(checkpoint_file(folder)) == 30);
  CHECK(weight_in(checkpoint_file(folder)) == -165.0);
  for (const auto& line : lines_of(read_file(folder / "trace.jsonl"))) {
    if (line.find("\"on_train_batch_start\"") == std::string::npos) continue;
    CHECK(contains(line, R"("epoch": 1, "batch_idx": 2, "global_step": 12)"));
    break;
  }
}

TEST_CASE("H04: order and dropout after a resume are those of the run that was never interrupted") {
  const TemporaryFolder whole;
  const TemporaryFolder killed;
  const std::string config =
      "seed: 7\nmodel: {plugin: shuffled}\ndata: {batch_size: 4}\noptimizer: {type: sgd, lr: 0.1}\n";
  write_file(whole / "run.yaml", config);
  write_file(killed / "run.yaml", config);
  REQUIRE(train(whole, {"--quiet", "--max_epochs", "3"}).exit_code == 0);
  for (const std::string epochs : {"1", "2", "3"})
    REQUIRE(train(killed, {"--quiet", "--resume", "auto", "--max_epochs", epochs}).exit_code == 0);
  const auto ids = lines_of(read_file(whole / "ids.txt"));
  REQUIRE(ids.size() == 4);
  CHECK(lines_of(read_file(killed / "ids.txt")) == ids);
  const auto order = [&](std::size_t epoch) {
    return ids.at(epoch + 1).substr(std::string("epoch 0:").size());
  };
  CHECK(order(0) != order(1));
  CHECK(order(1) != order(2));
  CHECK(order(0) != order(2));
  CHECK(differing_parts(checkpoint_file(whole), checkpoint_file(killed)) == std::vector<std::string>());
}

TEST_CASE("H04: parameters that begin late are joined alike after a resume, and clipped to the same bits") {
  const TemporaryFolder whole;
  const TemporaryFolder resumed;
  const std::string config =
      "seed: 3\nmodel: {plugin: digits, params: {hidden: [33, 21]}}\ntrainer: {gradient_clip_val: 0.01}\n"
      "optimizer: {type: sgd, lr: 0.1, momentum: 0.9}\n"
      "callbacks: [{type: freeze, params: 'net\\.[12]\\.', until_epoch: 2}]\n";
  write_file(whole / "run.yaml", config);
  write_file(resumed / "run.yaml", config);
  REQUIRE(train(whole, {"--quiet", "--max_epochs", "5"}).exit_code == 0);
  for (const std::string epochs : {"2", "4", "5"})
    REQUIRE(train(resumed, {"--quiet", "--resume", "auto", "--max_epochs", epochs}).exit_code == 0);
  CHECK(differing_parts(checkpoint_file(whole), checkpoint_file(resumed)) == std::vector<std::string>());
}

TEST_CASE("H05: a kill while saving never destroys the last good checkpoint") {
  const TemporaryFolder folder;
  write_probe(folder, "batches: 10, buffer_mb: 50", "max_epochs: 100",
              model_checkpoint("every_n_train_steps: 1"));
  REQUIRE(train(folder, {"--quiet", "--max_steps", "1"}).exit_code == 0);
  std::mt19937 random(5);
  int64_t before = 1;
  for (int kill = 0; kill < kills_wanted(8); ++kill) {
    REQUIRE(start_and_kill(folder, random, milliseconds(800)));
    const int64_t step = step_in(checkpoint_file(folder));  // throws where it does not load
    CHECK(step >= before);
    before = step;
  }
  CHECK(before > 1);
  // What the last kill has left is cleaned at the next start, and was never taken for a checkpoint.
  write_file(run_folder(folder) / "checkpoints/.last.ckpt.tmp-99999", "half a file");
  const Outcome next =
      train(folder, {"--quiet", "--resume", "auto", "--max_steps", std::to_string(before + 1)});
  REQUIRE(next.exit_code == 0);
  CHECK(files_in(run_folder(folder) / "checkpoints") == std::vector<std::string>{"last.ckpt"});

  const fs::path last = checkpoint_file(folder);
  fs::resize_file(last, fs::file_size(last) / 2);
  const Outcome truncated = train(folder, {"--resume", "last"});
  CHECK(truncated.exit_code == 5);
  CHECK(contains(truncated.err, "runs/run/0/checkpoints/last.ckpt"));
  CHECK(contains(truncated.err, "truncated"));
}

TEST_CASE("H12: the weights of another model are refused with every difference, and nothing is changed") {
  const TemporaryFolder folder;
  write_probe(folder, "batches: 2", "max_epochs: 1");
  REQUIRE(train(folder, {"--quiet"}).exit_code == 0);
  const std::string file = read_file(checkpoint_file(folder));
  const std::string rows = read_file(run_folder(folder) / "metrics.csv");
  const auto refused = [&](const std::vector<std::string>& flags) {
    const Outcome outcome =
        train(folder, std::vector<std::string>{"--resume", "last", "--trace", "t.jsonl"} + flags);
    CHECK(outcome.exit_code == 5);
    CHECK(outcome.err.find("frame #") == std::string::npos);
    CHECK_FALSE(fs::exists(folder / "t.jsonl"));
    CHECK(read_file(checkpoint_file(folder)) == file);
    CHECK(read_file(run_folder(folder) / "metrics.csv") == rows);
    return outcome.err;
  };
  const std::string shapes = refused({"--model.params.hidden", "4"});
  CHECK(contains(shapes, "layer.weight: [3, 2] Float in the file, [4, 2] Float in the model"));
  CHECK(contains(shapes, "layer.bias: [3] Float in the file, [4] Float in the model"));
  const std::string fewer = refused({"--model.params.extra_layer", "false"});
  CHECK(contains(fewer, "extra.weight: [2, 2] Float in the file, not in the model"));
  write_probe(folder, "batches: 2, extra_layer: false", "max_epochs: 1");
  REQUIRE(train(folder, {"--quiet"}).exit_code == 0);
  const Outcome more = train(folder, {"--resume", "last", "--model.params.extra_layer", "true"});
  CHECK(more.exit_code == 5);
  CHECK(contains(more.err, "extra.bias: not in the file, [2] Float in the model"));
}

TEST_CASE("H22: a checkpoint that is not there is an error, and never a fresh start") {
  const TemporaryFolder folder;
  write_probe(folder, "batches: 2", "max_epochs: 1");
  for (const std::string word : {"runs/x/nope.ckpt", "last", "best"}) {
    const Outcome outcome = train(folder, {"--resume", word});
    CHECK(outcome.exit_code == 5);
    CHECK(contains(outcome.err, word == "runs/x/nope.ckpt" ? "runs/x/nope.ckpt" : "runs/run"));
    CHECK_FALSE(fs::exists(folder / "runs"));
  }
  const Outcome fresh = train(folder, {"--resume", "auto"});
  CHECK(fresh.exit_code == 0);
  CHECK(contains(fresh.err, "--resume auto: there is no run in runs/run yet: a new one begins"));
}

TEST_CASE("H23: more epochs go on where the run ended, and a complete run does nothing") {
  const TemporaryFolder folder;
  write_probe(folder, "batches: 5", "max_epochs: 2");
  REQUIRE(train(folder, {"--quiet"}).exit_code == 0);
  REQUIRE(train(folder, {"--quiet", "--resume", "last", "--trainer.max_epochs", "4"}).exit_code == 0);
  CHECK(step_in(checkpoint_file(folder)) == 20);
  CHECK(weight_in(checkpoint_file(folder)) == -60.0);
  const std::string rows = read_file(run_folder(folder) / "metrics.csv");
  const Outcome again = train(folder, {"--resume", "last", "--trainer.max_epochs", "4"});
  CHECK(again.exit_code == 0);
  CHECK(contains(again.out, "already complete: max_epochs 4 reached"));
  CHECK(weight_in(checkpoint_file(folder)) == -60.0);
  CHECK(read_file(run_folder(folder) / "metrics.csv") == rows);
}

TEST_CASE("H24: which checkpoints are kept survives a restart") {
  const TemporaryFolder folder;
  write_probe(folder, "batches: 2, sleep_ms: 100, val_losses: [0.5, 0.4, 0.6, 0.3, 0.45]",
              "max_epochs: 5, num_sanity_val_steps: 0",
              model_checkpoint("monitor: val_loss, save_top_k: 2, filename: '{epoch}-{val_loss}'"));
  kill_after_step(folder, 6);
  const auto folder_of_run = run_folder(folder) / "checkpoints";
  CHECK(files_in(folder_of_run) ==
        std::vector<std::string>{"epoch=0-val_loss=0.5.ckpt", "epoch=1-val_loss=0.4.ckpt", "last.ckpt"});
  write_file(folder_of_run / "epoch=9-val_loss=0.9.ckpt", "not of this run");
  REQUIRE(train(folder, {"--quiet", "--resume", "last"}).exit_code == 0);
  CHECK(files_in(folder_of_run) == std::vector<std::string>{"epoch=1-val_loss=0.4.ckpt",
                                                            "epoch=3-val_loss=0.3.ckpt",
                                                            "epoch=9-val_loss=0.9.ckpt", "last.ckpt"});
  const auto last = lightrun::state::read_checkpoint(checkpoint_file(folder));
  CHECK(last.callbacks.front().second.get<std::string>("best_file") == "epoch=3-val_loss=0.3.ckpt");
  CHECK(contains(read_file(run_folder(folder) / "log.txt"),
                 "epoch=0-val_loss=0.5.ckpt: it is no longer one of those to keep"));
}

TEST_CASE("H25: runs that start together get a folder each") {
  const TemporaryFolder folder;
  write_probe(folder, "batches: 3", "max_epochs: 2");
  std::vector<std::unique_ptr<LightrunProcess>> runs;
  for (int i = 0; i < 8; ++i)
    runs.push_back(std::make_unique<LightrunProcess>(folder.path(), train_words({"--quiet"})));
  for (auto& run : runs) CHECK(run->wait().exit_code == 0);
  for (int i = 0; i < 8; ++i) {
    CHECK(step_in(run_folder(folder, i) / "checkpoints/last.ckpt") == 6);
    CHECK(read_csv(run_folder(folder, i) / "metrics.csv").size() == 2);
  }
  CHECK_FALSE(fs::exists(run_folder(folder, 8)));
}

TEST_CASE("H25: a folder that is given is one run's at a time, and an old run is not overwritten") {
  const TemporaryFolder folder;
  write_probe(folder, "batches: 2000, sleep_ms: 50", "max_epochs: 2");
  const std::vector<std::string> fixed = {"--run.folder", "here"};
  {
    LightrunProcess first(folder.path(), train_words(fixed));
    REQUIRE(wait_until([&] { return fs::exists(folder / "here/config.yaml"); }));
    const Outcome second = train(folder, fixed + std::vector<std::string>{"--resume", "auto"});
    CHECK(second.exit_code == 5);
    CHECK(contains(second.err, "here is in use by pid "));
    first.signal(SIGKILL);
    CHECK(first.wait().exit_code == -SIGKILL);
  }
  const std::vector<std::string> quick = {"--model.params.sleep_ms", "0", "--quiet"};
  CHECK(train(folder, fixed + quick + std::vector<std::string>{"--resume", "auto"}).exit_code == 0);
  const std::string file = read_file(folder / "here/checkpoints/last.ckpt");
  const Outcome third = train(folder, fixed + quick);
  CHECK(third.exit_code == 5);
  CHECK(contains(third.err,
                 "here holds a run already: --resume last goes on with it, --overwrite puts it aside"));
  CHECK(read_file(folder / "here/checkpoints/last.ckpt") == file);
  CHECK(train(folder, fixed + quick + std::vector<std::string>{"--overwrite"}).exit_code == 0);
  CHECK(fs::exists(folder / "here.old-2/checkpoints/last.ckpt"));  // old-1 is the killed one
  CHECK(train(folder, fixed + quick + std::vector<std::string>{"--resume", "last"}).exit_code == 0);
}

TEST_CASE("H28: a signal stops after the batch, with everything saved, and the run can go on") {
  const auto [signal, code] =
      GENERATE(std::pair(SIGINT, 130), std::pair(SIGTERM, 143), std::pair(SIGHUP, 129));
  CAPTURE(signal);
  const TemporaryFolder folder;
  write_probe(folder, "batches: 100, sleep_ms: 50", "max_epochs: 2, log_every_n_steps: 1");
  {
    LightrunProcess process(folder.path(), train_words({"--trace", "trace.jsonl"}));
    REQUIRE(wait_until([&] {
      const auto rows = run_folder(folder) / "metrics.csv";
      return fs::exists(rows) && lines_of(read_file(rows)).size() > 10;
    }));
    process.signal(signal);
    const Outcome outcome = process.wait();
    CHECK(outcome.exit_code == code);
    CHECK(contains(outcome.out, std::to_string(step_in(checkpoint_file(folder))) + " steps"));
  }
  std::size_t ends = 0;
  for (const auto& line : lines_of(read_file(folder / "trace.jsonl")))
    ends += line.find("\"on_train_end\"") != std::string::npos && line.find("callback") != std::string::npos;
  CHECK(ends == 1);
  REQUIRE(train(folder, {"--resume", "last", "--quiet", "--model.params.sleep_ms", "0"}).exit_code == 0);
  CHECK(weight_in(checkpoint_file(folder)) == -10100.0);
  CHECK(step_in(checkpoint_file(folder)) == 200);
}

TEST_CASE("SIGUSR1 saves and goes on") {
  const TemporaryFolder folder;
  write_probe(folder, "batches: 40, sleep_ms: 25", "max_epochs: 1");
  LightrunProcess process(folder.path(), train_words({"--quiet"}));
  const auto log = run_folder(folder) / "log.txt";
  REQUIRE(wait_until([&] { return fs::exists(log) && starts_in(run_folder(folder)) == 1; }));
  std::this_thread::sleep_for(milliseconds(200));
  process.signal(SIGUSR1);
  REQUIRE(wait_until([&] { return fs::exists(checkpoint_file(folder)); }));
  CHECK(step_in(checkpoint_file(folder)) < 40);
  CHECK(process.wait().exit_code == 0);
  CHECK(contains(read_file(log), "SIGUSR1: saving last.ckpt at step"));
  CHECK(step_in(checkpoint_file(folder)) == 40);
}
