#include "schedule/plan.hpp"

#include "schedule/window.hpp"
#include "support/catch.hpp"

using namespace lightrun;
using lightrun::config::Limit;
using lightrun::schedule::make_plan;
using lightrun::schedule::Plan;

namespace {

/// The same totals by walking through every batch.
Plan::Totals walked(const Plan& plan) {
  Plan::Totals totals;
  for (int64_t epoch = 0; epoch < plan.max_epochs; ++epoch) {
    const int64_t factor = schedule::accumulation_factor(plan.accumulation, epoch);
    int64_t in_window = 0;
    for (int64_t batch = 0; batch < *plan.train_batches; ++batch) {
      ++totals.batches;
      if (!schedule::closes_window(++in_window, factor, batch + 1 == *plan.train_batches)) continue;
      in_window = 0;
      ++totals.steps;
      if (plan.max_steps_reached(totals.steps)) return totals;
    }
  }
  return totals;
}

}  // namespace

TEST_CASE("totals equal a walk through every batch") {
  const std::vector<config::AccumulationSchedule> schedules = {
      {{0, 1}}, {{0, 3}}, {{1, 2}, {2, 4}}, {{0, 9}}};
  for (int64_t batches = 1; batches <= 7; ++batches) {
    for (int64_t epochs = 0; epochs <= 4; ++epochs) {
      for (int64_t max_steps = 0; max_steps <= 12; ++max_steps) {
        for (const auto& accumulation : schedules) {
          Plan plan{.max_epochs = epochs, .train_batches = batches, .accumulation = accumulation};
          if (max_steps > 0) plan.max_steps = max_steps;
          const Plan::Totals expected = walked(plan);
          CAPTURE(batches, epochs, max_steps, accumulation.begin()->second);
          REQUIRE(plan.totals()->steps == expected.steps);
          REQUIRE(plan.totals()->batches == expected.batches);
        }
      }
    }
  }
}

TEST_CASE("H19: max_steps 5 with accumulation 3 of 10 batches sees 13 batches") {
  const Plan plan{.max_epochs = 100, .max_steps = 5, .train_batches = 10, .accumulation = {{0, 3}}};
  CHECK(plan.totals()->steps == 5);
  CHECK(plan.totals()->batches == 13);
}

TEST_CASE("a stream has no totals") {
  const Plan plan{.max_epochs = 3, .max_steps = 5, .train_batches = std::nullopt, .accumulation = {{0, 1}}};
  CHECK_FALSE(plan.totals());
}

TEST_CASE("the sanity check takes what is asked for and there") {
  config::TrainerSpec trainer;
  CHECK(make_plan(trainer, {.train = 3, .val = 5}).sanity_batches == 2);
  CHECK(make_plan(trainer, {.train = 3, .val = 1}).sanity_batches == 1);
  CHECK(make_plan(trainer, {.train = 3, .val = 0}).sanity_batches == 0);
  trainer.num_sanity_val_steps = -1;
  CHECK(make_plan(trainer, {.train = 3, .val = 5}).sanity_batches == 5);
  trainer.limit_val_batches = Limit::of_count(0);
  CHECK(make_plan(trainer, {.train = 3, .val = 5}).sanity_batches == 0);
  CHECK_FALSE(make_plan(trainer, {.train = 3, .val = 5}).validates());
}

TEST_CASE("fast_dev_run is n batches of each kind, one epoch, no sanity check") {
  config::TrainerSpec trainer;
  trainer.fast_dev_run = 2;
  const Plan plan = make_plan(trainer, {.train = 10, .val = 1, .predict = 5});
  CHECK(plan.predict_batches == 2);
  CHECK(plan.max_epochs == 1);
  CHECK(plan.train_batches == 2);
  CHECK(plan.val_batches == 1);
  CHECK(plan.sanity_batches == 0);
}

TEST_CASE("a row is due at every n-th step and at the epoch's last batch") {
  const Plan plan{.log_every_n_steps = 5};
  CHECK_FALSE(plan.log_due(3, false));
  CHECK(plan.log_due(4, false));
  CHECK(plan.log_due(5, true));
}
