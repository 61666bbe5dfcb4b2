#include "support/table.hpp"

#include "support/catch.hpp"

using lightrun::support::Table;

TEST_CASE("columns are as wide as what is in them, numbers to the right") {
  Table table({{"name"}, {"count", Table::Align::right}, {"trainable"}});
  table.add_row({"fc1.weight", "4,096", "yes"});
  table.add_row({"b", "64", "no"});
  table.add_row({"total", "4,160"});
  CHECK(table.lines() == std::vector<std::string>{"name        count  trainable",  //
                                                  "fc1.weight  4,096  yes",        //
                                                  "b              64  no",         //
                                                  "total       4,160"});
}
