#include "support/duration.hpp"

#include "support/catch.hpp"

#include <cmath>

using namespace lightrun::support;

TEST_CASE("a duration is given in the two units that matter") {
  CHECK(duration_text(0) == "0 ms");
  CHECK(duration_text(0.0123) == "12 ms");
  CHECK(duration_text(0.4) == "0.4 s");
  CHECK(duration_text(9.94) == "9.9 s");
  CHECK(duration_text(9.96) == "10 s");
  CHECK(duration_text(59.6) == "1m 00s");
  CHECK(duration_text(63) == "1m 03s");
  CHECK(duration_text(3599.7) == "1h 00m");
  CHECK(duration_text(7500) == "2h 05m");
  CHECK(duration_text(24 * 3600 - 1) == "1d 00h");
  CHECK(duration_text(76 * 3600) == "3d 04h");
  CHECK(duration_text(NAN) == "?");
  CHECK(duration_text(-1) == "?");
  CHECK(duration_text(INFINITY) == "?");
}

TEST_CASE("a clock counts down in seconds") {
  CHECK(clock_text(12.3) == "0:12");
  CHECK(clock_text(59.6) == "1:00");
  CHECK(clock_text(3723) == "1:02:03");
  CHECK(clock_text(26 * 3600) == "26:00:00");
  CHECK(clock_text(NAN) == "?");
}
