// What --resume finds, and where the run goes on.

#include "support/catch.hpp"

#include "e2e/kill_resume/resumed_runs.hpp"

using namespace lightrun::tests;
namespace fs = std::filesystem;

TEST_CASE("a resume with --new-run goes on in a new folder, and leaves the run as it is") {
  const TemporaryFolder folder;
  write_probe(folder, "batches: 4", "max_epochs: 2");
  REQUIRE(train(folder, {"--quiet"}).exit_code == 0);
  const std::string last = read_file(checkpoint_file(folder));
  CHECK(train(folder, {"--quiet", "--resume", "last", "--new-run", "--max_epochs", "3"}).exit_code == 0);
  CHECK(read_file(checkpoint_file(folder)) == last);
  CHECK(step_in(run_folder(folder, 1) / "checkpoints/last.ckpt") == 12);
  CHECK(train(folder, {"--new-run"}).exit_code == 2);
}

TEST_CASE("a resume from an older checkpoint goes on in a new folder, and leaves the run as it is") {
  const TemporaryFolder folder;
  write_probe(folder, "batches: 4", "max_epochs: 3", model_checkpoint("monitor: null, save_top_k: -1"));
  REQUIRE(train(folder, {"--quiet"}).exit_code == 0);
  const std::string rows = read_file(run_folder(folder) / "metrics.csv");
  const std::string last = read_file(checkpoint_file(folder));
  const Outcome fork = train(folder, {"--quiet", "--resume", "runs/run/0/checkpoints/epoch=0-step=4.ckpt"});
  CHECK(fork.exit_code == 0);
  CHECK(contains(fork.err, "is not the newest checkpoint of its run"));
  CHECK(read_file(run_folder(folder) / "metrics.csv") == rows);
  CHECK(read_file(checkpoint_file(folder)) == last);
  CHECK(weight_in(run_folder(folder, 1) / "checkpoints/last.ckpt") == weight_in(checkpoint_file(folder)));
  CHECK(rows_without_time(run_folder(folder, 1) / "metrics.csv") ==
        rows_without_time(run_folder(folder) / "metrics.csv"));
}

TEST_CASE("a new run that was killed before its first checkpoint does not hide the one before it") {
  const TemporaryFolder folder;
  write_probe(folder, "batches: 4", "max_epochs: 2");
  REQUIRE(train(folder, {"--quiet"}).exit_code == 0);
  fs::create_directories(run_folder(folder, 1) / "checkpoints");
  const Outcome outcome = train(folder, {"--quiet", "--resume", "auto", "--max_epochs", "3"});
  CHECK(outcome.exit_code == 0);
  CHECK(contains(outcome.err,
                 "runs/run/1/checkpoints holds no checkpoint: going on with runs/run/0/checkpoints"));
  CHECK(step_in(checkpoint_file(folder)) == 12);
}

TEST_CASE("last is the newest checkpoint, and a file of the user's own is neither overwritten nor deleted") {
  const TemporaryFolder folder;
  write_probe(folder, "batches: 4", "max_epochs: 2",
              model_checkpoint("monitor: null, save_top_k: 1, filename: '{epoch}'"));
  REQUIRE(train(folder, {"--quiet"}).exit_code == 0);
  const auto checkpoints = run_folder(folder) / "checkpoints";
  write_file(checkpoints / "epoch=2.ckpt", "precious");
  fs::remove(checkpoints / "last.ckpt");
  const Outcome outcome = train(folder, {"--quiet", "--resume", "last", "--max_epochs", "4"});
  CHECK(outcome.exit_code == 0);
  CHECK(contains(outcome.err, "last.ckpt is not there: going on from runs/run/0/checkpoints/epoch=1.ckpt"));
  CHECK(read_file(checkpoints / "epoch=2.ckpt") == "precious");
  CHECK(files_in(checkpoints) == std::vector<std::string>{"epoch=2.ckpt", "epoch=3.ckpt", "last.ckpt"});
}

TEST_CASE("best is the best of the run before, as long as the newest has none of its own") {
  const TemporaryFolder folder;
  write_probe(folder, "batches: 2, val_losses: [0.5, 0.4, 0.6, 0.7]",
              "max_epochs: 3, num_sanity_val_steps: 0");
  REQUIRE(train(folder, {"--quiet"}).exit_code == 0);
  for (const int run : {1, 2}) {
    const Outcome branch = train(folder, {"--quiet", "--resume", "best"});
    INFO(branch.err);
    CHECK(branch.exit_code == 0);
    CHECK(contains(branch.err,
                   "runs/run/1/checkpoints/best.ckpt is not there: going on from "
                   "runs/run/0/checkpoints/best.ckpt") == (run == 2));
    CHECK(files_in(run_folder(folder, run) / "checkpoints") == std::vector<std::string>{"last.ckpt"});
    CHECK(step_in(run_folder(folder, run) / "checkpoints/last.ckpt") == 6);
  }
}

TEST_CASE("an epoch that is shorter now than where the run was in it ends, and that is said") {
  const TemporaryFolder folder;
  write_probe(folder, "batches: 6", "max_epochs: 1");
  REQUIRE(train(folder, {"--quiet", "--max_steps", "4"}).exit_code == 0);
  const Outcome outcome = train(folder, {"--quiet", "--resume", "last", "--limit_train_batches", "2"});
  CHECK(outcome.exit_code == 0);
  CHECK(contains(outcome.err, "epoch 1 was at batch 4 and has only 2 now: it ends here"));
  CHECK(step_in(checkpoint_file(folder)) == 4);
}
