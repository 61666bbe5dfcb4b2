#include "support/pattern.hpp"

#include "support/catch.hpp"

using namespace lightrun::support;
using Names = std::vector<std::string>;

TEST_CASE("a pattern is found anywhere in a name, unless it is anchored") {
  const Names names = {"net.0.weight", "net.0.bias", "out.weight"};
  CHECK(names_with("weight", names) == Names{"net.0.weight", "out.weight"});
  CHECK(names_with("^out", names) == Names{"out.weight"});
  CHECK(names_with("bias|out", names) == Names{"net.0.bias", "out.weight"});
  CHECK(names_with("nothing", names).empty());
}

TEST_CASE("a broken pattern is told, a right one is not") {
  CHECK_FALSE(pattern_fault("a(b)*"));
  CHECK(pattern_fault("a(").has_value());
}

TEST_CASE("what is found nowhere is answered with some names") {
  CHECK(found_in_no_name("x", {"a", "b"}) == "'x' is in no parameter's name; there are a, b");
  const Names ten = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
  CHECK(found_in_no_name("x", ten) ==
        "'x' is in no parameter's name; there are a, b, c, d, e, f, g, h, ... (10)");
}
