#include "support/run_summary.hpp"

#include "support/catch.hpp"

#include <cmath>

using namespace lightrun::support;

TEST_CASE("the best value is the lowest or the highest, the first of equal ones, never NaN") {
  BestValue lowest(false);
  CHECK_FALSE(lowest.best());
  lowest.add(NAN, 0);
  CHECK_FALSE(lowest.best());
  for (const auto& [value, epoch] : {std::pair{0.5, 1}, {0.3, 2}, {NAN, 3}, {0.3, 4}, {0.4, 5}})
    lowest.add(value, epoch);
  CHECK(lowest.best()->value == 0.3);
  CHECK(lowest.best()->epoch == 2);

  BestValue highest(true);
  for (const auto& [value, epoch] : {std::pair{0.5, 0}, {0.9, 1}, {NAN, 2}, {0.7, 3}})
    highest.add(value, epoch);
  CHECK(highest.best()->value == 0.9);
  CHECK(highest.best()->epoch == 1);
}

TEST_CASE("the summary says why it stopped, how far it came, what was best and where it is") {
  const RunSummary summary = {.stop_reason = "max_epochs 10 reached",
                              .epochs = 10,
                              .steps = 400,
                              .seconds = 63,
                              .samples = 12570,
                              .training_seconds = 50,
                              .monitor = "val_acc",
                              .best = BestValue::Best{.value = 0.97778, .epoch = 6},
                              .checkpoint = "runs/digits/3/checkpoints/best.ckpt",
                              .run_dir = "runs/digits/3"};
  CHECK(run_summary(summary) ==
        std::vector<std::string>{
            "stopped     max_epochs 10 reached", "trained     10 epochs, 400 steps in 1m 03s, 251 samples/s",
            "best        val_acc 0.9778  (epoch 7)", "checkpoint  runs/digits/3/checkpoints/best.ckpt",
            "run folder  runs/digits/3"});
}

TEST_CASE("the summary leaves out what there is not") {
  CHECK(run_summary({.stop_reason = "boom", .epochs = 0, .steps = 1, .seconds = 0.25}) ==
        std::vector<std::string>{"stopped     boom", "trained     0 epochs, 1 step in 0.2 s"});
}
