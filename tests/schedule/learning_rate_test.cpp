#include "schedule/learning_rate.hpp"

#include "support/catch.hpp"

#include <vector>

using namespace lightrun::schedule;

TEST_CASE("H11: step decay every 3 of 9 steps is Python's, not the C++ class's") {
  const std::vector<double> expected = {1, 1, 1, .5, .5, .5, .25, .25, .25};
  for (std::size_t count = 0; count < expected.size(); ++count) {
    CHECK(step_decay(1, static_cast<int64_t>(count), 3, 0.5) == expected[count]);
  }
}

TEST_CASE("milestones count once they are reached") {
  CHECK(multi_step(1, 1, {2, 4}, 0.5) == 1);
  CHECK(multi_step(1, 2, {2, 4}, 0.5) == 0.5);
  CHECK(multi_step(1, 3, {2, 4}, 0.5) == 0.5);
  CHECK(multi_step(1, 4, {2, 4}, 0.5) == 0.25);
}

TEST_CASE("the exponential rate is base times gamma to the count") {
  CHECK(exponential(8, 0, 0.5) == 8);
  CHECK(exponential(8, 3, 0.5) == 1);
}

TEST_CASE("the cosine starts at the base, passes the middle and ends at eta_min") {
  CHECK(cosine(1, 0, 10, 0.2) == Approx(1));
  CHECK(cosine(1, 5, 10, 0.2) == Approx(0.6));
  CHECK(cosine(1, 10, 10, 0.2) == Approx(0.2));
}
