#include "schedule/timetable.hpp"

#include "support/catch.hpp"

using lightrun::config::Limit;
using lightrun::config::TrainerSpec;
using lightrun::schedule::make_plan;
using lightrun::schedule::timetable;

TEST_CASE("a timetable has every window, validation and step of a run") {
  TrainerSpec trainer;
  trainer.max_epochs = 3;
  trainer.accumulate_grad_batches = {{0, 2}, {1, 4}};
  trainer.val_check_interval = Limit::of_count(3);
  const auto table = timetable(make_plan(trainer, {.train = 7, .val = 2}));
  REQUIRE(table);
  CHECK(table->epochs == 3);
  CHECK(table->batches == 21);
  CHECK(table->steps == 4 + 2 + 2);
  CHECK(table->windows == std::vector<int64_t>{2, 2, 2, 1});
  CHECK(table->validations == std::vector<int64_t>{3, 6, 10, 13, 17, 20});
  CHECK(table->steps_at_epoch == std::vector<int64_t>{0, 4, 6});
}

TEST_CASE("a timetable ends in the batch that max_steps is reached with") {
  TrainerSpec trainer;
  trainer.max_epochs = 10;
  trainer.max_steps = 7;
  const auto table = timetable(make_plan(trainer, {.train = 5, .val = 1}));
  REQUIRE(table);
  CHECK(table->epochs == 2);
  CHECK(table->batches == 7);
  CHECK(table->validations == std::vector<int64_t>{5});
}

TEST_CASE("there is no timetable of a stream, nor of a run without an end") {
  TrainerSpec trainer;
  CHECK_FALSE(timetable(make_plan(trainer, {.train = {}, .val = 1})));
  trainer.max_epochs = -1;
  CHECK_FALSE(timetable(make_plan(trainer, {.train = 5, .val = 1})));
}
