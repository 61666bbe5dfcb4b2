// What --help prints, compared with tests/e2e/golden/*.txt. Where a help text has changed on purpose:
//   LIGHTRUN_UPDATE_GOLDEN=1 build/release/tests/bin/test_e2e 'help*'
// writes these files anew, and configs/REFERENCE.md.

#include "e2e/lightrun_process.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cstdlib>

using namespace lightrun::tests;

namespace {

const std::vector<std::string> kCommands = {"train",     "test",       "predict", "check",  "plan",
                                            "plugins",   "inspect",    "export",  "report", "schema",
                                            "reference", "completion", "new",     "build"};

void check_golden(const std::filesystem::path& golden, const Outcome& outcome) {
  CAPTURE(golden.string());
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  if (std::getenv("LIGHTRUN_UPDATE_GOLDEN") != nullptr) write_file(golden, outcome.out);
  CHECK(outcome.out == read_file(golden));
}

std::filesystem::path golden(const std::string& name) {
  return std::filesystem::path(LIGHTRUN_SOURCE_DIR) / "tests/e2e/golden" / (name + ".txt");
}

void check_fits_a_screen(const std::string& text) {
  const auto lines = lines_of(text);
  CHECK(lines.size() <= 23);  // one is the prompt's
  for (const std::string& line : lines) {
    CAPTURE(line);
    CHECK(line.size() <= 80);
  }
}

}  // namespace

TEST_CASE("help of lightrun names every command and exit code, on one screen") {
  const TemporaryFolder folder;
  const Outcome outcome = run_lightrun(folder, {"--help"});
  check_golden(golden("lightrun"), outcome);
  check_fits_a_screen(outcome.out);
  for (const std::string& command : kCommands) CHECK(contains(outcome.out, "\n  " + command + " "));
}

TEST_CASE("help of each command has usage, options and examples with it, on one screen") {
  const TemporaryFolder folder;
  for (const std::string& command : kCommands) {
    CAPTURE(command);
    const Outcome outcome = run_lightrun(folder, {command, "--help"});
    check_golden(golden(command), outcome);
    check_fits_a_screen(outcome.out);
    CHECK(contains(outcome.out, "\nUsage: lightrun " + command));
    const auto examples = outcome.out.find("\nExamples:\n");
    REQUIRE(examples != std::string::npos);
    CHECK(contains(outcome.out.substr(examples), "lightrun " + command));
    CHECK(run_lightrun(folder, {command, "-h"}).out == outcome.out);
  }
}

TEST_CASE("help names only configs that exist, in examples that lightrun takes") {
  const TemporaryFolder folder;
  for (const std::string& command : kCommands) {
    for (const std::string& line : lines_of(run_lightrun(folder, {command, "--help"}).out)) {
      for (auto at = line.find("configs/"); at != std::string::npos; at = line.find("configs/", at + 1)) {
        const std::string path = line.substr(at, line.find(' ', at) - at);
        CAPTURE(line, path);
        CHECK(std::filesystem::exists(std::filesystem::path(LIGHTRUN_SOURCE_DIR) / path));
      }
    }
  }
}

TEST_CASE("help and more: lightrun reference prints the page that is kept beside the configs") {
  const TemporaryFolder folder;
  const Outcome outcome = run_lightrun(folder, {"reference"});
  check_golden(shipped_config("REFERENCE.md"), outcome);
  for (const std::string& command : kCommands)
    CHECK(contains(outcome.out, "\n### lightrun " + command + "\n"));
  CHECK(contains(outcome.out, "\n| `--resume WHICH` | "));
}
