#include "schedule/work_left.hpp"

#include "schedule/timetable.hpp"
#include "schedule/window.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <functional>

using lightrun::config::Limit;
using lightrun::config::TrainerSpec;
using namespace lightrun::schedule;

namespace {

TrainerSpec trainer_of(
    int64_t epochs, const std::function<void(TrainerSpec&)>& change = [](TrainerSpec&) {}) {
  TrainerSpec spec;
  spec.max_epochs = epochs;
  change(spec);
  return spec;
}

/// Walks through a run and asks before each batch what is left; checks it against the timetable.
void check_along(const Plan& plan) {
  const auto table = timetable(plan);
  REQUIRE(table);
  Position at;
  int64_t window = 0;
  while (at.batches_seen < table->batches) {
    INFO("after " << at.batches_seen << " batches, epoch " << at.epoch);
    const auto left = work_left(plan, at);
    REQUIRE(left);
    CHECK(left->batches == table->batches - at.batches_seen);
    CHECK(left->epochs == table->epochs - 1 - at.epoch);
    CHECK(left->validations == std::ranges::count_if(table->validations, [&](int64_t validation) {
            return validation > at.batches_seen;
          }));
    ++at.batches_seen;
    ++at.epoch_batches;
    const bool is_last = at.epoch_batches == *plan.train_batches;
    if (closes_window(++window, accumulation_factor(plan.accumulation, at.epoch), is_last)) {
      ++at.global_step;
      window = 0;
    }
    if (is_last && at.batches_seen < table->batches) at = {at.epoch + 1, 0, at.batches_seen, at.global_step};
  }
  const auto nothing = work_left(plan, at);
  CHECK(nothing->batches == 0);
  CHECK(nothing->validations == 0);
  CHECK(nothing->epochs == 0);
}

}  // namespace

TEST_CASE("what is left of a run is what its timetable still has") {
  const auto every = [](int64_t batches, std::optional<int64_t> epochs) {
    return [=](TrainerSpec& spec) {
      spec.val_check_interval = Limit::of_count(batches);
      spec.check_val_every_n_epoch = epochs;
    };
  };
  const auto [what, spec] = GENERATE_COPY(table<const char*, TrainerSpec>(
      {{"plain", trainer_of(3)},
       {"one epoch", trainer_of(1)},
       {"a validation every second epoch", trainer_of(5, every(7, 2))},
       {"validations within every second epoch", trainer_of(6, every(3, 2))},
       {"validations across epochs", trainer_of(4, every(5, std::nullopt))},
       {"accumulation that changes", trainer_of(5,
                                                [](TrainerSpec& each) {
                                                  each.accumulate_grad_batches = {{0, 2}, {1, 4}, {3, 1}};
                                                })},
       {"max_steps within an epoch", trainer_of(10, [](TrainerSpec& each) { each.max_steps = 16; })},
       {"max_steps at an epoch's end", trainer_of(10, [](TrainerSpec& each) { each.max_steps = 14; })},
       {"max_steps within accumulation that changes", trainer_of(10, [](TrainerSpec& each) {
          each.accumulate_grad_batches = {{0, 3}, {2, 2}};
          each.max_steps = 9;
          each.val_check_interval = Limit::of_count(2);
        })}}));
  INFO(what);
  check_along(make_plan(spec, {.train = 7, .val = 2}));
}

TEST_CASE("a stream that is cut to a number of batches is validated at their end") {
  TrainerSpec spec = trainer_of(3, [](TrainerSpec& each) { each.limit_train_batches = Limit::of_count(6); });
  check_along(make_plan(spec, {.train = {}, .val = 2}));
  spec.val_check_interval = Limit::of_count(4);
  check_along(make_plan(spec, {.train = {}, .val = 2}));
  spec.val_check_interval = Limit::of_count(3);
  check_along(make_plan(spec, {.train = {}, .val = 2}));
}

TEST_CASE("nobody knows what is left of a stream, nor of a run without an end") {
  CHECK_FALSE(work_left(make_plan(trainer_of(3), {.train = {}, .val = 1}), {}));
  CHECK_FALSE(work_left(make_plan(trainer_of(-1), {.train = 5, .val = 1}), {}));
}

TEST_CASE("of an epoch whose rest was left out, nothing is left") {
  const auto left = work_left(make_plan(trainer_of(3), {.train = 7, .val = 2}),
                              {.epoch = 1, .epoch_batches = 7, .batches_seen = 9, .global_step = 9});
  CHECK(left->batches == 7);
  CHECK(left->validations == 1);
  CHECK(left->epochs == 1);
}
