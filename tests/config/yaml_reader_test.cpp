#include "config/yaml_reader.hpp"

#include "config/configs.hpp"
#include "config/yaml_writer.hpp"
#include "support/catch.hpp"

#include <filesystem>
#include <sstream>

using namespace lightrun::config;
using namespace lightrun::tests;

namespace {

/// The one problem of a text ("f" is its file), or all of them on a line each.
std::string problem_of(const std::string& text) {
  std::vector<Problem> problems;
  static_cast<void>(read_yaml(text, "f", problems));
  std::string all;
  for (const Problem& problem : problems) {
    if (!all.empty()) all += '\n';
    all += problem.message();
  }
  return all;
}

/// A right text's value on one line.
std::string flow_of(const std::string& text) {
  std::vector<Problem> problems;
  const auto value = read_yaml(text, "f", problems);
  REQUIRE(problems.empty());
  REQUIRE(value);
  return print_flow(*value);
}

Value value_of(const std::string& text) {
  std::vector<Problem> problems;
  auto value = read_yaml(text, "f", problems);
  REQUIRE(problems.empty());
  REQUIRE(value);
  return *value;
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

}  // namespace

TEST_CASE("every key and value has its true place") {
  const Value root = value_of("seed: 7\ntrainer:\n  devices: [cpu, cuda:0]\n  empty:\n");
  CHECK(root.mark.text() == "f:1:1");
  CHECK(root.entries[0].mark.text() == "f:1:1");
  CHECK(root.entries[0].value.mark.text() == "f:1:7");
  const Value& trainer = root.entries[1].value;
  CHECK(trainer.entries[0].mark.text() == "f:3:3");
  CHECK(trainer.entries[0].value.items[1].mark.text() == "f:3:18");
  CHECK(trainer.entries[1].value.kind == Value::Kind::null);
  CHECK(trainer.entries[1].value.mark.text() == "f:4:3");  // yaml-cpp would say line 5
}

TEST_CASE("columns count characters, after a byte order mark, and with any line break") {
  CHECK(value_of("\xEF\xBB\xBF\xC3\xBC: \xC3\xA9\n").entries[0].value.mark.text() == "f:1:4");
  CHECK(value_of("a: 1\r\nb: [2]\r\n").entries[1].value.items[0].mark.text() == "f:2:5");
}

TEST_CASE("plain scalars keep their text, quoted ones are known as such") {
  const Value root = value_of("a: 010\nb: \"010\"\nc: '010'\nd: !!str 010\ne: ~\nf: |\n  null\n");
  CHECK(root.entries[0].value.text == "010");
  CHECK_FALSE(root.entries[0].value.quoted);
  for (const std::size_t i : {1U, 2U, 3U}) {
    CHECK(root.entries[i].value.text == "010");
    CHECK(root.entries[i].value.quoted);
  }
  CHECK(root.entries[4].value.kind == Value::Kind::null);
  CHECK(root.entries[5].value.kind == Value::Kind::scalar);
}

TEST_CASE("H15: a duplicate key is refused at every depth, with both lines") {
  CHECK(problem_of("trainer:\n  x: 0\n  max_epochs: 1\n  max_epochs: 5\n") ==
        "f:4:3: trainer.max_epochs: given twice, on lines 3 and 4");
  CHECK(problem_of("seed: 1\nrun: {}\nseed: 2\n") == "f:3:1: seed: given twice, on lines 1 and 3");
  CHECK(problem_of("callbacks:\n  - type: a\n    x: 1\n    x: 2\n") ==
        "f:4:5: callbacks.0.x: given twice, on lines 3 and 4");
  CHECK(problem_of("a: 1\n\"a\": 2\n") == "f:2:1: a: given twice, on lines 1 and 2");
  CHECK(problem_of("<<: {a: 1}\n<<: {b: 1}\n") == "f:2:1: <<: given twice, on lines 1 and 2");
}

TEST_CASE("H31: << merges: own keys win, then earlier maps of a list") {
  CHECK(flow_of("b: &b {x: 1, y: 2}\nt: {<<: *b, x: 3}\n") == "{b: {x: 1, y: 2}, t: {x: 3, y: 2}}");
  CHECK(flow_of("b: &b {x: 1, y: 2}\nt: {x: 3, <<: *b}\n") == "{b: {x: 1, y: 2}, t: {x: 3, y: 2}}");
  CHECK(flow_of("<<: [{x: 1}, {x: 2, y: 2}]\n") == "{x: 1, y: 2}");
  CHECK(flow_of("\"<<\": 3\n") == "{\"<<\": 3}");
  CHECK(problem_of("<<: 3\n") == "f:1:5: << takes a map or a list of maps, not '3'");
  CHECK(problem_of("<<: [{x: 1}, 3]\n") == "f:1:14: << takes maps, not '3'");
}

TEST_CASE("an alias is a copy, placed where it is used") {
  const Value root = value_of("a: &a {x: 1}\nb: *a\n");
  CHECK(print_flow(root) == "{a: {x: 1}, b: {x: 1}}");
  CHECK(root.entries[1].value.mark.text() == "f:2:4");
  CHECK(root.entries[1].value.entries[0].mark.text() == "f:1:8");
}

TEST_CASE("an alias inside what it stands for is refused") {
  CHECK(problem_of("x: &a [*a]\n") == "f:1:8: x.0: an alias inside what it stands for");
  CHECK(problem_of("x: &a {y: {z: *a}}\n") == "f:1:15: x.y.z: an alias inside what it stands for");
}

TEST_CASE("aliases that would grow without bound are refused") {
  std::ostringstream bomb;
  bomb << "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 30; ++i) {
    bomb << "a" << i << ": &a" << i << " [*a" << i - 1;
    for (int k = 1; k < 10; ++k) bomb << ", *a" << i - 1;
    bomb << "]\n";
  }
  CHECK_THAT(problem_of(bomb.str()), Catch::Matchers::Contains("more than 100000 values, aliases counted"));
}

TEST_CASE("deep nesting is refused, long before the stack ends") {
  CHECK(problem_of(repeated("[", 99) + repeated("]", 99)) == "");
  CHECK(problem_of(repeated("[", 101) + repeated("]", 101)) == "f:1:101: nested more than 100 levels deep");
  CHECK(problem_of(repeated("{a: ", 101) + repeated("}", 101)) ==
        "f:1:401: nested more than 100 levels deep");
  CHECK_THAT(problem_of(repeated("[", 100000)),
             Catch::Matchers::Contains("nested more than 100 levels deep"));
}

TEST_CASE("H32: a second document is refused, however it begins") {
  CHECK(problem_of("a: 1\n---\nb: 2\n") == "f:2:1: a second document begins here: a config is one");
  CHECK(problem_of("---\na: 1\n---\n") == "f:3:1: a second document begins here: a config is one");
  CHECK(problem_of("a: 1\n...\nb: 2\n") == "f:3:1: a second document begins here: a config is one");
  CHECK(problem_of("- a\nb: 2\n") == "f:2:1: a second document begins here: a config is one");
  CHECK(problem_of("---\na: 1\n...\n") == "");
}

TEST_CASE("H32: what does not parse is told in words, where it begins") {
  const std::pair<std::string, std::string> cases[] = {
      {"a: 1\ndevices: [0, 1\n", "f:2:10: devices: the [ is never closed"},
      {"devices: [0, 1", "f:1:10: devices: the [ is never closed"},
      {"a: [b, c\nd: 4\n", "f:1:4: a: the [ opened here is not closed: expected , or ] at line 2, column 2"},
      {"t:\n  a: {b: 1\n", "f:2:6: t.a: the { is never closed"},
      {"a: 1\n]\n", "f:2:1: a closing bracket that was never opened"},
      {"trainer:\n\tmax_epochs: 3\n", "f:2:1: a tab in the indentation: YAML indents with spaces"},
      {"trainer:\n  a: 1\n\tb: 2\n", "f:3:1: a tab in the indentation: YAML indents with spaces"},
      {"a: b: c\n", "f:1:5: unexpected ':' (wrong indentation, or text that needs quotes?)"},
      {"a: 1\n b: 2\n", "f:2:3: unexpected ':' (wrong indentation, or text that needs quotes?)"},
      {"a:\n  b: 1\n c: 2\n", "f:3:2: expected 'key: value' (wrong indentation?)"},
      {"a: - b\n", "f:1:4: unexpected '- ': a list begins on a line of its own"},
      {"a: @x\n", "f:1:4: '@' cannot begin a value (text that needs quotes?)"},
      {"a: *zz\n", "f:1:4: no such anchor before this alias"},
      {"a: \"\\q\"\n", "f:1:7: not YAML: unknown escape character: q"},
      {"a: !foo 5\n", "f:1:4: a: the tag !foo means nothing here"},
      {"? [a]\n: b\n", "f:1:3: a key must be text, not a list"},
      {"null: 3\n", "f:1:1: a key must be text, not null"},
  };
  for (const auto& [text, problem] : cases) {
    CAPTURE(text);
    CHECK(problem_of(text) == problem);
  }
}

TEST_CASE("a quote that is never closed does not swallow the rest") {
  CHECK(problem_of("a: 'unclosed\nb: 3\n") == "f:1:4: the ' is never closed");
  CHECK(problem_of("a: 1\nb: &x \"it's \\\"\nc: 3\n") == "f:2:7: the \" is never closed");
  CHECK(flow_of("a: 'it''s'\nb: \"\\\"\"\n") == "{a: \"it's\", b: \"\\\"\"}");
}

TEST_CASE("texts on which parsers have hung end with a problem") {
  for (const char* text : {"{foo:", "[:", "{:", "{", "[", "- - - {", "a: \"x\" y: 3\n",
                           "%YAML 3.0\n---\na: 1\n", "&a", "*a", "? ? ?", "!<", "{[}]"}) {
    CAPTURE(text);
    static_cast<void>(problem_of(text));
  }
  CHECK(problem_of("{foo:") != "");
}

TEST_CASE("bytes that are not UTF-8 and control characters are refused with their place") {
  CHECK(problem_of("a: 1\nb: \xFFz\n") == "f:2:4: not UTF-8: byte 0xff at offset 8");
  CHECK(problem_of("a: \x01\n") == "f:1:4: control character 0x01");
  CHECK(problem_of(std::string("a: \0b\n", 6)) == "f:1:4: control character 0x00");
}

TEST_CASE("two escapes that yaml-cpp gets wrong are refused") {
  const std::string problem = "f:1:4: a: write the escapes \\N and \\_ as \\u0085 and \\u00a0";
  CHECK(problem_of("a: \"x\\N\"\n") == problem);
  CHECK(problem_of("a: \"x\\_\"\n") == problem);
  CHECK(value_of("a: \"x\\u0085\"\n").entries[0].value.text == "x\xC2\x85");
}

TEST_CASE("environment variables are put into values, plain ones keep being plain") {
  const ScopedVariable name("LIGHTRUN_TEST_NAME", "7");
  const Value root = value_of(
      "a: ${env:LIGHTRUN_TEST_NAME}\nb: \"x${env:LIGHTRUN_TEST_NAME}\"\nc: ${env:LIGHTRUN_TEST_NO:-1.5}\nd: "
      "${env:LIGHTRUN_TEST_NO:-}\n");
  CHECK(root.entries[0].value.text == "7");
  CHECK_FALSE(root.entries[0].value.quoted);
  CHECK(root.entries[1].value.text == "x7");
  CHECK(root.entries[1].value.quoted);
  CHECK(root.entries[2].value.text == "1.5");
  CHECK(root.entries[3].value.kind == Value::Kind::null);
}

TEST_CASE("a missing environment variable, and a text that only looks like one") {
  CHECK(problem_of("t:\n  a: ${env:LIGHTRUN_TEST_NO}\n") ==
        "f:2:6: t.a: the environment variable LIGHTRUN_TEST_NO is not set (${env:LIGHTRUN_TEST_NO:-...} "
        "gives a default)");
  CHECK(problem_of("a: ${env:LIGHTRUN\n") == "f:1:4: a: ${env: without its }");
  CHECK(problem_of("a: ${env:1x}\n") == "f:1:4: a: '1x' is no name of an environment variable");
  CHECK(value_of("a: $${env:X}\n").entries[0].value.text == "${env:X}");
  CHECK(value_of("a: ${HOME}\n").entries[0].value.text == "${HOME}");
}

TEST_CASE("the default stands in for an empty environment variable too") {
  const ScopedVariable empty("LIGHTRUN_TEST_EMPTY", "");
  CHECK(value_of("a: ${env:LIGHTRUN_TEST_EMPTY:-x}\n").entries[0].value.text == "x");
  CHECK(value_of("a: \"${env:LIGHTRUN_TEST_EMPTY}\"\n").entries[0].value.text == "");
}

TEST_CASE("what an environment variable holds is not replaced again") {
  const ScopedVariable nested("LIGHTRUN_TEST_NESTED", "${env:LIGHTRUN_TEST_NESTED}");
  CHECK(value_of("a: ${env:LIGHTRUN_TEST_NESTED}\n").entries[0].value.text == "${env:LIGHTRUN_TEST_NESTED}");
}

TEST_CASE("H32: a file that is missing, a folder, empty, or no settings at all") {
  const TemporaryFolder folder;
  const auto problem = [&](const std::string& name, const std::string& text) {
    if (!name.empty()) write_file(folder / name, text);
    std::vector<Problem> problems;
    const auto value = read_yaml_file((folder / name).string(), problems);
    CHECK_FALSE(value);
    REQUIRE(problems.size() == 1);
    return problems[0].message().substr((folder / name).string().size());
  };
  std::vector<Problem> problems;
  CHECK_FALSE(read_yaml_file("nope.yaml", problems));
  CHECK(problems.at(0).message() == "nope.yaml: cannot be read: No such file or directory");
  CHECK(problem("", "") == ": a folder, not a config file");
  CHECK(problem("empty.yaml", "") == ":1:1: no settings in this file");
  CHECK(problem("comment.yaml", "# nothing\n") == ":1:1: no settings in this file");
  CHECK(problem("sentence.yaml", "just a plain sentence\n") ==
        ":1:1: expected settings such as 'max_epochs: 3', got 'just a plain sentence'");
  CHECK(problem("colon.yaml", "max_epochs:3\n") ==
        ":1:1: expected settings such as 'max_epochs: 3', got 'max_epochs:3'");
  CHECK(problem("large.yaml", std::string(5 << 20, '#')) == ": larger than 4 MiB: not a config");
}

TEST_CASE("${env:NAME} needs no quotes inside brackets, whatever its default holds") {
  const ScopedVariable variable("LIGHTRUN_TEST_NAME", "n");
  CHECK(flow_of("{run: {name: ${env:LIGHTRUN_TEST_NAME}, dir: \"${env:LIGHTRUN_TEST_NAME}\"}}\n") ==
        "{run: {name: n, dir: \"n\"}}");
  CHECK(flow_of("[${env:LIGHTRUN_TEST_NAME}, x${env:LIGHTRUN_TEST_NO:-a, [b]: #c?}y]\n") ==
        "[n, \"xa, [b]: #c?y\"]");
  CHECK(flow_of("{a: $${env:X}}\n") == "{a: \"$${env:X}\"}");
  CHECK(problem_of("{b: ${env:LIGHTRUN_TEST_NAME}, c: [}\n") ==
        "f:1:36: a closing bracket that was never opened");
  CHECK(problem_of("{a: {b: ${env:LIGHTRUN_TEST_NO}}}\n") ==
        "f:1:9: a.b: the environment variable LIGHTRUN_TEST_NO is not set (${env:LIGHTRUN_TEST_NO:-...} "
        "gives a default)");
}
