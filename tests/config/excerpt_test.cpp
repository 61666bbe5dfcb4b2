#include "config/excerpt.hpp"

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <string>

using lightrun::config::with_excerpts;
using lightrun::tests::TemporaryFolder;
using lightrun::tests::write_file;

namespace {

std::string excerpt_of(const std::string& content, const std::string& place) {
  const TemporaryFolder folder;
  write_file(folder / "a.yaml", content);
  const std::string message = (folder / "a.yaml").string() + place + ": wrong";
  const std::string shown = with_excerpts(message, {});
  REQUIRE(shown.substr(0, message.size()) == message);
  return shown.substr(message.size());
}

}  // namespace

TEST_CASE("beneath a problem stands the line of the file, with a caret under the column") {
  CHECK(excerpt_of("seed: 1\ntrainer:\n  max_epoch: 3\n", ":3:3") ==
        "\n    3 |   max_epoch: 3"
        "\n      |   ^~~~~~~~~");
  CHECK(excerpt_of("{a: 'it is', b: 2}", ":1:5") ==
        "\n    1 | {a: 'it is', b: 2}"
        "\n      |     ^~~~~~~");
}

TEST_CASE("the caret stands right after tabs, wide characters, a byte order mark and CRLF") {
  CHECK(excerpt_of("\xEF\xBB\xBF\tname: \xE4\xB8\xAD\xE6\x96\x87 x\r\n", ":1:8") ==
        "\n    1 |  name: \xE4\xB8\xAD\xE6\x96\x87 x"
        "\n      |        ^~~~");
  CHECK(excerpt_of("é: ü\n", ":1:4") ==
        "\n    1 | é: ü"
        "\n      |    ^");
}

TEST_CASE("a place behind the line's end has its caret there, and one that is not in the file has none") {
  CHECK(excerpt_of("a: [\n", ":1:9") ==
        "\n    1 | a: ["
        "\n      |     ^");
  CHECK(excerpt_of("a: 1\n", ":7:1").empty());
  CHECK(with_excerpts("nowhere.yaml:1:1: wrong", {}) == "nowhere.yaml:1:1: wrong");
  CHECK(with_excerpts("an error without a place: 3:4", {}) == "an error without a place: 3:4");
}

TEST_CASE("a long line is cut around the caret") {
  const std::string line = "list: [" + std::string(200, 'x') + ", wrong, " + std::string(200, 'y') + "]";
  CHECK(excerpt_of(line, ":1:210") == "\n    1 | ..." + std::string(27, 'x') + ", wrong, " +
                                          std::string(30, 'y') + "..." + "\n      | " + std::string(32, ' ') +
                                          "^~~~~");
}

TEST_CASE("beneath a flag's problem stands the command line") {
  const std::vector<std::string> words = {"lightrun", "train",      "a b.yaml", "--max_epochs",
                                          "five",     "--seed=1.5", "--quiet"};
  CHECK(with_excerpts("--max_epochs: trainer.max_epochs: wrong\n--seed: wrong\n--other: wrong", words) ==
        "--max_epochs: trainer.max_epochs: wrong"
        "\n      | lightrun train 'a b.yaml' --max_epochs five --seed=1.5 --quiet"
        "\n      |                           ^~~~~~~~~~~~~~~~~"
        "\n--seed: wrong"
        "\n      | lightrun train 'a b.yaml' --max_epochs five --seed=1.5 --quiet"
        "\n      |                                             ^~~~~~~~~~"
        "\n--other: wrong");
}

TEST_CASE("beneath a problem of a command stands the command line, where the problem names a word of it") {
  const std::vector<std::string> words = {"lightrun", "plan", "run.yaml", "--hook", "plan"};
  const std::string line = "\n      | lightrun plan run.yaml --hook plan";
  CHECK(with_excerpts("lightrun plan: there is no option --hook (did you mean --hooks?)", words) ==
        "lightrun plan: there is no option --hook (did you mean --hooks?)" + line +
            "\n      |                        ^~~~~~~~~~~");
  CHECK(with_excerpts("lightrun: there is no command 'plan'", words) ==
        "lightrun: there is no command 'plan'" + line + "\n      |                               ^~~~");
  for (const char* plain : {"lightrun plan: no config; see lightrun plan --help", "--other: wrong",
                            "another program: there is no option --hook", "lightrun: run.yaml is empty"}) {
    CHECK(with_excerpts(plain, words) == plain);
  }
}
