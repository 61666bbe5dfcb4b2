#include "support/elide.hpp"

#include "support/catch.hpp"

using namespace lightrun::support;

TEST_CASE("text that fits is as it was, text that does not ends in dots") {
  CHECK(elide("12345", 5) == "12345");
  CHECK(elide("123456", 5) == "12...");
  CHECK(elide("123456", 3) == "123");
  CHECK(elide("123456", 0) == "");
}

TEST_CASE("a character is never cut in half, and wide ones count twice") {
  CHECK(display_width("größe") == 5);
  CHECK(elide("größe", 4) == "g...");
  CHECK(elide("ööööö", 4) == "ö...");
  CHECK(display_width("精度") == 4);
  CHECK(elide("精度精度", 6) == "精...");
  CHECK(display_width("e\u0301") == 1);
}

TEST_CASE("colours take no room, and end where the text is cut") {
  CHECK(display_width("\x1b[32mok\x1b[0m") == 2);
  CHECK(elide("\x1b[32mgreen\x1b[0m", 5) == "\x1b[32mgreen\x1b[0m");
  CHECK(elide("\x1b[32mgreener\x1b[0m", 5) == "\x1b[32mgr...\x1b[0m");
}

TEST_CASE("nothing that moves the cursor gets through") {
  CHECK(elide("a\nb\tc\x1b[2J", 20) == "a?b?c?[2J");
  CHECK(elide("bad \xff\xc3", 20) == "bad ??");
}

TEST_CASE("padding counts columns") {
  CHECK(pad_right("ö", 3) == "ö  ");
  CHECK(pad_left("ö", 3) == "  ö");
  CHECK(pad_left("long", 3) == "long");
}

TEST_CASE("text is broken at spaces, and a word that is too long within it") {
  using Lines = std::vector<std::string>;
  CHECK(wrap("one two three", 20) == Lines{"one two three"});
  CHECK(wrap("one two three", 7) == Lines{"one two", "three"});
  CHECK(wrap("one two three", 8) == Lines{"one two", "three"});
  CHECK(wrap("one two three", 5) == Lines{"one", "two", "three"});
  CHECK(wrap("a runs/digits/0", 6) == Lines{"a", "runs/d", "igits/", "0"});
  CHECK(wrap("größer 漢字", 5) == Lines{"größe", "r", "漢字"});
  CHECK(wrap("漢字", 1) == Lines{"漢", "字"});
  CHECK(wrap("", 5) == Lines{""});
}
