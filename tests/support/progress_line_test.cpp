#include "support/progress_line.hpp"

#include "support/catch.hpp"
#include "support/elide.hpp"

using namespace lightrun::support;

namespace {

ProgressState training() {
  return {.epoch = 3,
          .epochs = 10,
          .batch = 14,
          .batches = 20,
          .seconds_per_batch = 1 / 312.0,
          .seconds_left = 12,
          .metrics = {{"loss", 0.123}, {"val_acc", 0.97}}};
}

}  // namespace

TEST_CASE("a progress line of 80 columns has all in it, and a bar in what is left") {
  CHECK(progress_line(training(), 80) ==
        "epoch 3/10 [========>   ] 14/20  312 batch/s  loss 0.123  val_acc 0.97  ETA 0:12");
}

TEST_CASE("a progress line of 40 columns keeps the bar and the ETA") {
  CHECK(progress_line(training(), 40) == "epoch 3/10 [=======>   ] 14/20  ETA 0:12");
}

TEST_CASE("a progress line of 200 columns does not stretch the bar beyond 30") {
  CHECK(progress_line(training(), 200) ==
        "epoch 3/10 [===================>        ] 14/20  312 batch/s  loss 0.123  val_acc 0.97  ETA 0:12");
}

TEST_CASE("a progress line is never wider than the terminal") {
  ProgressState state = training();
  state.metrics.emplace_back("größe", 1e-300);
  for (int width = 1; width <= 200; ++width) {
    INFO(width);
    CHECK(display_width(progress_line(state, width)) <= static_cast<std::size_t>(width));
  }
}

TEST_CASE("a bar is empty at the start, full at the end, and no wider for more batches than planned") {
  ProgressState state = {.epoch = 1, .batch = 0, .batches = 4};
  CHECK(progress_line(state, 26) == "epoch 1 [>           ] 0/4");
  state.batch = 4;
  CHECK(progress_line(state, 26) == "epoch 1 [============] 4/4");
  state.batch = 9;
  CHECK(progress_line(state, 26) == "epoch 1 [============] 9/4");
}

TEST_CASE("data of unknown length has a count and no bar") {
  CHECK(progress_line({.epoch = 1, .batch = 70, .seconds_per_batch = 0.5}, 80) == "epoch 1 70  2 batch/s");
}

TEST_CASE("slow batches are given in seconds a batch") {
  CHECK(progress_line({.epoch = 1, .batch = 7, .seconds_per_batch = 2.5}, 80) == "epoch 1 7  2.5 s/batch");
  CHECK(progress_line({.epoch = 1, .batch = 7, .seconds_per_batch = 52e-6}, 80) ==
        "epoch 1 7  19.2 k batch/s");
}

TEST_CASE("a validation and a sanity check say so") {
  using Doing = ProgressState::Doing;
  CHECK(progress_line({.doing = Doing::validating, .epoch = 3, .epochs = 10, .batch = 2, .batches = 5}, 40) ==
        "epoch 3/10  validating [====>      ] 2/5");
  CHECK(progress_line({.doing = Doing::sanity_checking, .batch = 1, .batches = 2}, 30) ==
        "sanity check [=====>     ] 1/2");
  CHECK(progress_line({.doing = Doing::predicting, .batch = 1, .batches = 2}, 30) ==
        "predicting [======>      ] 1/2");
}

TEST_CASE("what the run waits for stands before what is less urgent") {
  const std::string waits = "waiting for data 3.2 s";
  CHECK(
      progress_line(training(), 100, waits) ==
      "epoch 3/10 [=====>  ] 14/20  waiting for data 3.2 s  312 batch/s  loss 0.123  val_acc 0.97  ETA 0:12");
  CHECK(progress_line(training(), 79, waits) ==
        "epoch 3/10 [=========>   ] 14/20  waiting for data 3.2 s  312 batch/s  ETA 0:12");
  CHECK(progress_line(training(), 45, waits) == "epoch 3/10 14/20  waiting for data 3.2 s");
  CHECK(progress_line(training(), 39, waits) == "epoch 3/10  waiting for data 3.2 s");
  CHECK(progress_line(training(), 19, waits) == "epoch 3/10  wait...");
}

TEST_CASE("in a log file a progress line has no bar and every metric") {
  CHECK(plain_progress_line(training()) ==
        "epoch 3/10  batch 14/20  312 batch/s  loss 0.123  val_acc 0.97  ETA 0:12");
  CHECK(
      plain_progress_line(
          {.doing = ProgressState::Doing::validating, .epoch = 3, .epochs = 10, .batch = 2, .batches = 5}) ==
      "epoch 3/10  validating 2/5");
}

TEST_CASE("an epoch's line has what was measured, as far as it fits") {
  const EpochReport report = {.epoch = 3,
                              .epochs = 10,
                              .batch = 20,
                              .batches = 20,
                              .step = 60,
                              .metrics = {{"train_loss", 0.31}, {"val_loss", 0.22}, {"val_acc", 0.97}},
                              .seconds = 1.2};
  const std::string all = "epoch  3/10  step 60  train_loss 0.31  val_loss 0.22  val_acc 0.97  1.2 s";
  CHECK(epoch_line(report) == all);
  CHECK(epoch_line(report, static_cast<int>(all.size())) == all);
  CHECK(epoch_line(report, static_cast<int>(all.size()) - 1) ==
        "epoch  3/10  train_loss 0.31  val_loss 0.22  val_acc 0.97  1.2 s");
  CHECK(epoch_line(report, 39) == "epoch  3/10  train_loss 0.31  1.2 s");
  CHECK(epoch_line(report, 18) == "epoch  3/10  1.2 s");
  CHECK(epoch_line(report, 10) == "epoch  ...");
}

TEST_CASE("the line of an epoch that was cut short says where") {
  CHECK(epoch_line({.epoch = 3, .epochs = 10, .batch = 14, .batches = 20, .step = 54, .seconds = 42}) ==
        "epoch  3/10  14 of 20 batches  step 54  42 s");
}

TEST_CASE("metrics are shown losses first, training before validation") {
  const ShownMetrics shown = in_reading_order(
      {{"accuracy", 1}, {"grad_norm", 2}, {"train_loss", 3}, {"val_acc", 4}, {"val_loss", 5}});
  CHECK(shown ==
        ShownMetrics{{"train_loss", 3}, {"val_loss", 5}, {"val_acc", 4}, {"accuracy", 1}, {"grad_norm", 2}});
}

TEST_CASE("a metric that has a value for the epoch too is shown once, with that") {
  CHECK(in_reading_order({{"train_loss", 3}, {"train_loss_epoch", 1}, {"lr", 2}}) ==
        ShownMetrics{{"train_loss", 1}, {"lr", 2}});
}
