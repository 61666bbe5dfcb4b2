#include "schedule/limits.hpp"

#include "support/catch.hpp"

using lightrun::config::Limit;
using lightrun::schedule::check_limit;
using lightrun::schedule::limited;
using lightrun::schedule::LimitFault;

namespace {

Limit fraction(int64_t digits, int scale) {
  return {.kind = Limit::Kind::fraction, .digits = digits, .scale = scale};
}

}  // namespace

TEST_CASE("H20: a fraction is exact decimal arithmetic") {
  CHECK(limited(fraction(29, 2), 100) == 29);  // 0.29 * 100 in doubles is 28.999999999999996
  CHECK(limited(fraction(7, 1), 10) == 7);
  CHECK(limited(fraction(29, 2), 10) == 2);
  CHECK(limited(fraction(1, 0), 100) == 100);
  CHECK(limited(fraction(10, 1), 100) == 100);
  CHECK(limited(fraction(999999999999999999, 18), INT64_MAX) == 9223372036854775797);
}

TEST_CASE("H20: a count is capped at what there is, and 1 is one batch") {
  CHECK(limited(Limit::of_count(1), 100) == 1);
  CHECK(limited(Limit::of_count(8), 5) == 5);
  CHECK(limited(Limit::of_count(0), 5) == 0);
}

TEST_CASE("a stream takes a count, or all of it") {
  CHECK(limited(Limit::of_count(8), std::nullopt) == 8);
  CHECK(limited(Limit::all(), std::nullopt) == std::nullopt);
  CHECK(limited(fraction(0, 1), std::nullopt) == 0);
  CHECK(check_limit(fraction(5, 1), std::nullopt) == LimitFault::fraction_of_a_stream);
  CHECK(check_limit(Limit::all(), std::nullopt) == LimitFault::none);
  CHECK(check_limit(fraction(10, 1), std::nullopt) == LimitFault::none);
}

TEST_CASE("H20: a fraction that gives none is a fault, a plain 0 is not") {
  CHECK(check_limit(fraction(1, 1), 9) == LimitFault::fraction_gives_none);
  CHECK(check_limit(fraction(1, 1), 10) == LimitFault::none);
  CHECK(check_limit(Limit::of_count(0), 9) == LimitFault::none);
  CHECK(check_limit(fraction(0, 1), 9) == LimitFault::none);
}
