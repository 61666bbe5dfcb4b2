#include "loggers/histogram.hpp"

#include "support/catch.hpp"

#include <algorithm>
#include <limits>

using namespace lightrun::loggers;

TEST_CASE("the limits are TensorFlow's: rising, alike on both sides of 0, a tenth apart") {
  const auto& limits = all_limits();
  REQUIRE(limits.size() == 2 * 775 + 1);
  CHECK(std::is_sorted(limits.begin(), limits.end()));
  CHECK(limits.front() == -std::numeric_limits<double>::max());
  CHECK(limits.back() == std::numeric_limits<double>::max());
  CHECK(limits[775] == 0);
  CHECK(limits[776] == 1e-12);
  CHECK(limits[777] == 1e-12 * 1.1);
  CHECK(limits[774] == -1e-12);
}

TEST_CASE("a histogram keeps the buckets that are filled, and one empty one for each gap") {
  std::vector<int64_t> counts(all_limits().size());
  counts[777] = 3;
  counts[782] = 4;
  counts[783] = 1;
  Histogram histogram;
  set_buckets(histogram, counts);
  const auto& limits = all_limits();
  CHECK(histogram.limits ==
        std::vector<double>{limits[776], limits[777], limits[781], limits[782], limits[783]});
  CHECK(histogram.counts == std::vector<double>{0, 3, 0, 4, 1});

  set_buckets(histogram, std::vector<int64_t>(counts.size()));
  CHECK(histogram.counts.empty());
  counts.assign(counts.size(), 0);
  counts.front() = counts.back() = 1;
  set_buckets(histogram, counts);
  CHECK(histogram.counts == std::vector<double>{1, 0, 1});
}
