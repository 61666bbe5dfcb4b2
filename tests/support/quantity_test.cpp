#include "support/quantity.hpp"

#include "support/catch.hpp"

#include <cmath>

using namespace lightrun::support;

TEST_CASE("counts are exact in groups, or short with a unit") {
  CHECK(grouped_text(0) == "0");
  CHECK(grouped_text(999) == "999");
  CHECK(grouped_text(1797) == "1,797");
  CHECK(grouped_text(-1234567) == "-1,234,567");
  CHECK(grouped_text(-123) == "-123");
  CHECK(count_text(950) == "950");
  CHECK(count_text(999.6) == "1.0 k");
  CHECK(count_text(12345) == "12.3 k");
  CHECK(count_text(999960) == "1.0 M");
  CHECK(count_text(1234567) == "1.2 M");
  CHECK(counted(1, "epoch", "epochs") == "1 epoch");
  CHECK(counted(1257, "sample", "samples") == "1,257 samples");
}

TEST_CASE("bytes count in 1024") {
  CHECK(bytes_text(512) == "512 B");
  CHECK(bytes_text(19240) == "18.8 KiB");
  CHECK(bytes_text(5 << 20) == "5.0 MiB");
}

TEST_CASE("a value has four digits") {
  CHECK(value_text(0.97224) == "0.9722");
  CHECK(value_text(0.00001234) == "1.234e-05");
  CHECK(value_text(3) == "3");
  CHECK(value_text(NAN) == "nan");
  CHECK(value_text(-NAN) == "nan");
  CHECK(value_text(-INFINITY) == "-inf");
}
