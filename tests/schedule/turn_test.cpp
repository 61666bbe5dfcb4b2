#include "schedule/turn.hpp"

#include "support/catch.hpp"

using lightrun::schedule::optimizer_is_due;

TEST_CASE("without frequencies every optimizer is due on every batch") {
  for (int64_t batch = 0; batch < 3; ++batch) {
    CHECK(optimizer_is_due(0, {0, 0}, batch));
    CHECK(optimizer_is_due(1, {0, 0}, batch));
  }
}

TEST_CASE("with frequencies 2 and 1 the turns go 0 0 1 0 0 1") {
  const std::vector<std::size_t> turns = {0, 0, 1, 0, 0, 1};
  for (std::size_t batch = 0; batch < turns.size(); ++batch) {
    CHECK(optimizer_is_due(turns[batch], {2, 1}, static_cast<int64_t>(batch)));
    CHECK_FALSE(optimizer_is_due(1 - turns[batch], {2, 1}, static_cast<int64_t>(batch)));
  }
}
