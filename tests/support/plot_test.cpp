#include "support/plot.hpp"

#include "support/catch.hpp"

using lightrun::support::plot;

TEST_CASE("a plot has its highest value at the top, its lowest at the bottom, and an axis") {
  CHECK(plot({4, 3, 2, 1}, 40, 4) == std::vector<std::string>{"4 | *",     //
                                                              "  |  *",    //
                                                              "  |   *",   //
                                                              "1 |    *",  //
                                                              "  +-----"});
}

TEST_CASE("a plot of one value is a level line, and of none nothing") {
  CHECK(plot({0.5, 0.5, 0.5}, 40, 3) == std::vector<std::string>{"    |",      //
                                                                 "0.5 | ***",  //
                                                                 "    |",      //
                                                                 "    +----"});
  CHECK(plot({}, 40, 3).empty());
}

TEST_CASE("a plot that is too narrow for its values loses no peak") {
  std::vector<double> values(1000, 0);
  values[501] = 1;
  const auto lines = plot(values, 24, 2);
  CHECK(lines[0] == "1 |           *");
  CHECK(lines[1] == "0 | " + std::string(20, '*'));
}
