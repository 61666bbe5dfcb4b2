#include "e2e/lightrun_process.hpp"
#include "support/catch.hpp"

using namespace lightrun::tests;

TEST_CASE("a flag that may stand alone, before a file, does not swallow it") {
  const TemporaryFolder folder;
  write_file(folder / "run.yaml", "model: {plugin: m}\nseed: x\n");
  const Outcome outcome = run_lightrun(folder, {"train", "--fast_dev_run", "run.yaml"});
  CHECK(outcome.exit_code == 3);
  CHECK(outcome.err ==
        "run.yaml:2:7: seed: expected a whole number, got 'x'\n"
        "    2 | seed: x\n"
        "      |       ^\n");
}
