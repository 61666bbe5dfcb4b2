#include "schedule/window.hpp"

#include "support/catch.hpp"

#include <vector>

using namespace lightrun::schedule;

TEST_CASE("an accumulation schedule holds from its epoch on, and is 1 before") {
  const lightrun::config::AccumulationSchedule schedule = {{2, 4}, {5, 8}};
  const std::vector<int64_t> expected = {1, 1, 4, 4, 4, 8, 8};
  for (std::size_t epoch = 0; epoch < expected.size(); ++epoch) {
    CHECK(accumulation_factor(schedule, static_cast<int64_t>(epoch)) == expected[epoch]);
  }
}

TEST_CASE("a window closes when it is full, and at the epoch's end") {
  CHECK_FALSE(closes_window(1, 2, false));
  CHECK(closes_window(2, 2, false));
  CHECK(closes_window(1, 2, true));
  CHECK(closes_window(1, 1, false));
}

TEST_CASE("H01: the last window of an epoch is planned with its true size") {
  CHECK(planned_window(0, 2, 5) == 2);
  CHECK(planned_window(4, 2, 5) == 1);
  CHECK(planned_window(0, 8, 5) == 5);
  CHECK(planned_window(4, 2, std::nullopt) == 2);
  CHECK(steps_in_epoch(5, 2) == 3);
  CHECK(steps_in_epoch(4, 2) == 2);
  CHECK(steps_in_epoch(0, 2) == 0);
}
