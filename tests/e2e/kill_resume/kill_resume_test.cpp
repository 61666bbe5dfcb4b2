// A run that is killed at random moments, and resumed each time, ends with the same bits as one that never
// was.

#include "support/catch.hpp"

#include "e2e/kill_resume/resumed_runs.hpp"
using namespace lightrun::tests;
using std::chrono::milliseconds;

namespace {

const std::string kTraining = R"(
seed: 3
data: {batch_size: 32}
optimizer: {type: adam, lr: 2e-3}
scheduler: {type: cosine, interval: step, warmup: 5}
callbacks:
  - {type: early_stopping, monitor: val_loss, patience: 500}
  - {type: model_checkpoint, monitor: val_loss, save_top_k: 2, every_n_train_steps: 2}
)";

const std::string kDigits = R"(model: {plugin: digits, params: {hidden: [32], dropout: 0.3}}
trainer: {max_epochs: 150, accumulate_grad_batches: 3, val_check_interval: 7, log_every_n_steps: 2}
)" + kTraining;

const std::string kLstm = R"(model: {plugin: tbptt_lstm, params: {samples: 600}}
trainer: {max_epochs: 60, accumulate_grad_batches: 3, val_check_interval: 7, truncated_bptt_steps: 4,
          log_every_n_steps: 2}
)" + kTraining;

/// Everything that acts on weights and rates.
const std::string kAveraged = R"(model: {plugin: digits, params: {hidden: [32], dropout: 0.3}}
trainer: {max_epochs: 60, accumulate_grad_batches: 3, val_check_interval: 7, log_every_n_steps: 2}
seed: 3
data: {batch_size: 32}
optimizer: {type: adamw, lr: 2e-3, groups: [{params: bias, weight_decay: 0, lr: 4e-3}]}
scheduler: {type: cosine, interval: step, warmup: 5}
callbacks:
  - {type: ema, decay: 0.9, every_n_steps: 2, start_step: 3}
  - {type: swa, swa_lrs: 1e-3, swa_epoch_start: 0.5, annealing_epochs: 5}
  - {type: freeze, params: '^net\.1\.', until_epoch: 20}
  - {type: lr_monitor, logging_interval: epoch}
)";

void check_killed_run(const std::string& config, milliseconds longest) {
  const int wanted = kills_wanted(5);
  const TemporaryFolder whole;
  const TemporaryFolder killed;
  write_file(whole / "run.yaml", config);
  write_file(killed / "run.yaml", config);
  const Outcome never_killed = train(whole, {"--quiet"});
  INFO(never_killed.err);
  REQUIRE(never_killed.exit_code == 0);

  std::mt19937 random(7);
  int kills = 0;
  while (kills < wanted && start_and_kill(killed, random, longest)) ++kills;
  const Outcome last = train(killed, {"--resume", "auto", "--quiet"});
  CAPTURE(kills, last.err);
  REQUIRE(last.exit_code == 0);
  CHECK(kills == wanted);
  const auto expected = newest_run(whole);
  const auto run = newest_run(killed);
  CHECK(differing_parts(expected / "checkpoints/last.ckpt", run / "checkpoints/last.ckpt") ==
        std::vector<std::string>());
  CHECK(files_in(expected / "checkpoints") == files_in(run / "checkpoints"));
  const std::string averaged = "averaged.safetensors";
  REQUIRE(std::filesystem::exists(expected / averaged) == std::filesystem::exists(run / averaged));
  if (std::filesystem::exists(expected / averaged))
    CHECK((read_file(expected / averaged) == read_file(run / averaged)));
  CHECK((rows_without_time(expected / "metrics.csv") == rows_without_time(run / "metrics.csv")));
}

}  // namespace

TEST_CASE("a digits run killed at random moments ends with the same bits") {
  check_killed_run(kDigits, milliseconds(250));
}

TEST_CASE("a truncated LSTM run killed at random moments ends with the same bits") {
  check_killed_run(kLstm, milliseconds(250));
}

TEST_CASE(
    "a run with averages, frozen parameters and groups killed at random moments ends with the same bits") {
  check_killed_run(kAveraged, milliseconds(250));
}
