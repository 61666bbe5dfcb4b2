#include "support/text.hpp"

#include "support/catch.hpp"

using namespace lightrun::support;

TEST_CASE("the edit distance counts insertions, deletions, replacements and swaps") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("lr", "lr") == 0);
  CHECK(edit_distance("max_epoch", "max_epochs") == 1);
  CHECK(edit_distance("trianer", "trainer") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("a word near a known one means that one") {
  const std::vector<std::string> known{"max_epochs", "max_steps", "gradient_clip_val",
                                       "gradient_clip_algorithm", "lr"};
  CHECK(did_you_mean("max_epoch", known) == "max_epochs");
  CHECK(did_you_mean("max_step", known) == "max_steps");
  CHECK(did_you_mean("gradient_clip", known) == "gradient_clip_val");
  CHECK(did_you_mean("l", known) == "lr");
  CHECK(did_you_mean("rl", known) == "lr");
}

TEST_CASE("a part of one name means that name, a part of two neither") {
  const std::vector<std::string> known{"max_epochs", "limit_train_batches", "limit_val_batches"};
  CHECK(did_you_mean("epochs", known) == "max_epochs");
  CHECK(did_you_mean("limit_train", known) == "limit_train_batches");
  CHECK(did_you_mean("batches", known) == std::nullopt);
  CHECK(did_you_mean("epo", known) == std::nullopt);
}

TEST_CASE("a word near nothing, or known itself, gets no suggestion") {
  CHECK(did_you_mean("banana", {"max_epochs", "lr"}) == std::nullopt);
  CHECK(did_you_mean("lr", {"lr", "lr_decay"}) == std::nullopt);
  CHECK(did_you_mean("x", {"y"}) == std::nullopt);
  CHECK(did_you_mean("", {"lr"}) == std::nullopt);
  CHECK(did_you_mean(std::string(1000, 'a'), {"lr"}) == std::nullopt);
}

TEST_CASE("of equally near names the first is suggested") {
  CHECK(did_you_mean("model", {"mode1", "modes"}) == "mode1");
}

TEST_CASE("words are joined for a list and for a choice") {
  CHECK(join({}) == "");
  CHECK(join({"a", "b", "c"}) == "a, b, c");
  CHECK(join({"a", "b"}, ".") == "a.b");
  CHECK(either({"a"}) == "a");
  CHECK(either({"a", "b"}) == "a or b");
  CHECK(either({"a", "b", "c"}) == "a, b or c");
}

TEST_CASE("the first byte that is not UTF-8 is found") {
  CHECK(invalid_utf8("plain, \xC3\xA9, \xE2\x82\xAC, \xF0\x9F\x98\x80") == std::nullopt);
  CHECK(invalid_utf8("ab\xFF") == 2U);
  CHECK(invalid_utf8("a\xC3") == 1U);             // cut
  CHECK(invalid_utf8("\xC0\x80") == 0U);          // overlong
  CHECK(invalid_utf8("\xE0\x80\x80") == 0U);      // overlong
  CHECK(invalid_utf8("a\xED\xA0\x80") == 1U);     // a surrogate
  CHECK(invalid_utf8("\xF4\x90\x80\x80") == 0U);  // beyond U+10FFFF
  CHECK(invalid_utf8("\xE2\x82\x41") == 0U);      // a third byte that is none
}

TEST_CASE("characters are code points, not bytes") {
  CHECK(characters("") == 0);
  CHECK(characters("abc") == 3);
  CHECK(characters("\xC3\xBC: \xE2\x82\xAC") == 4);
}

TEST_CASE("words are wrapped into lines; one that is too long has its own") {
  using Lines = std::vector<std::string>;
  CHECK(wrapped("to be or not", 5) == Lines{"to be", "or", "not"});
  CHECK(wrapped("  \u00fc\u00fc  \u00fc\u00fc\n x", 5) == Lines{"\u00fc\u00fc \u00fc\u00fc", "x"});
  CHECK(wrapped("a longest b", 5) == Lines{"a", "longest", "b"});
  CHECK(wrapped("", 5).empty());
}
