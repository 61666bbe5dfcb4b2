#include "config/value.hpp"

#include "support/catch.hpp"

using namespace lightrun::config;

namespace {

std::string message(Mark mark, std::string path, std::string text) {
  return Problem{std::move(mark), std::move(path), std::move(text)}.message();
}

}  // namespace

TEST_CASE("a place is shown as file:line:column, a flag as typed") {
  CHECK(Mark{"a.yaml", 3, 5}.text() == "a.yaml:3:5");
  CHECK(Mark{"--max_epochs", 0, 0}.text() == "--max_epochs");
  CHECK(Mark{"--max_epochs", 0, 0}.is_flag());
  CHECK_FALSE(Mark{"a.yaml", 0, 0}.is_flag());
}

TEST_CASE("where() is the head of a message about a setting that was given") {
  const Origins origins{{"trainer.max_epochs", {"a.yaml", 2, 3}}, {"seed", {"--seed", 0, 0}}};
  CHECK(where(origins, "trainer.max_epochs") == "a.yaml:2:3: ");
  CHECK(where(origins, "seed") == "--seed: ");
  CHECK(where(origins, "trainer.max_steps") == "");
}

TEST_CASE("a problem's message names place, path and problem, each once") {
  CHECK(message({"a.yaml", 2, 3}, "seed", "bad") == "a.yaml:2:3: seed: bad");
  CHECK(message({"a.yaml", 2, 3}, "", "bad") == "a.yaml:2:3: bad");
  CHECK(message({}, "seed", "bad") == "seed: bad");
  CHECK(message({"--lr", 0, 0}, "optimizer.lr", "bad") == "--lr: optimizer.lr: bad");
  CHECK(message({"--trainer.max-epochs", 0, 0}, "trainer.max_epochs", "bad") == "--trainer.max-epochs: bad");
  CHECK(message({"--lrr", 0, 0}, "", "there is no option --lrr") == "there is no option --lrr");
}

TEST_CASE("a value in a message stays on one line and short") {
  CHECK(Value::plain("five").shown() == "'five'");
  Value quoted = Value::plain("3");
  quoted.quoted = true;
  CHECK(quoted.shown() == "the text \"3\"");
  CHECK(Value::plain("a\nb").shown() == "'a...'");
  const std::string x39(39, 'x');
  CHECK(Value::plain(x39 + "\xC3\xA9y").shown() ==
        std::string("'").append(x39).append("...'"));  // no half letter
  CHECK(Value::null().shown() == "null");
  CHECK(Value::map().shown() == "a map");
  CHECK(Value::list({}).shown() == "a list");
}
