// What a wrong command line is told.

#include "e2e/faulty_run.hpp"
#include "support/catch.hpp"

using namespace lightrun::tests;

namespace {

struct Mistake {
  std::vector<std::string> words;
  std::string message;  ///< the first line
  std::string marked;   ///< what stands over the caret and its ~~~; "": there is no excerpt
};

// clang-format off
const std::vector<Mistake> kMistakes = {
    {{"plan", "run.yaml", "--hook"},
     "lightrun plan: there is no option --hook (did you mean --hooks?); see lightrun plan --help", "--hook"},
    {{"plan", "run.yaml", "--quiet"},
     "lightrun plan: there is no option --quiet (a parameter of the model is --model.params.quiet); see lightrun plan --help", "--quiet"},
    {{"train", "run.yaml", "--max_epoch", "2"},
     "lightrun train: there is no option --max_epoch (did you mean --max_epochs?); see lightrun train --help", "--max_epoch 2"},
    {{"train", "run.yaml", "--trainer.max_epoch=2"},
     "lightrun train: there is no option --trainer.max_epoch (did you mean --trainer.max_epochs?)", "--trainer.max_epoch=2"},
    {{"train", "run.yaml", "-x"},
     "lightrun train: there is no option -x (settings are --name value); see lightrun train --help", "-x"},
    {{"train", "run.yaml", "--trace"},
     "lightrun train: --trace FILE: its value is missing; see lightrun train --help", "--trace"},
    {{"train", "run.yaml", "--new-run"},
     "lightrun train: --new-run goes with --resume; without it every run is a new one", "--new-run"},
    {{"train", "run.yaml", "--strip-prefix", "module."},
     "lightrun train: --strip-prefix goes with --weights-only FILE", "--strip-prefix module."},
    {{"test", "run.yaml"},
     "lightrun test: --checkpoint FILE is missing; see lightrun test --help", ""},
    {{"test"},
     "lightrun test: --checkpoint FILE is missing; see lightrun test --help", ""},
    {{"train"},
     "lightrun train: no config; for example: lightrun train configs/digits.yaml", ""},
    {{"inspect"},
     "lightrun inspect: FILE is missing; see lightrun inspect --help", ""},
    {{"inspect", "a.ckpt", "b.ckpt"},
     "lightrun inspect: 'b.ckpt' is a word too many; see lightrun inspect --help", "b.ckpt"},
    {{"export"},
     "lightrun export: FILE and --to FILE are missing; see lightrun export --help", ""},
    {{"report", "runs/a", "--ot", "a.html"},
     "lightrun report: there is no option --ot (did you mean --out?); see lightrun report --help", "--ot a.html"},
    {{"completion", "tcsh"},
     "lightrun completion: expected bash, fish or zsh, got 'tcsh'; see lightrun completion --help", "tcsh"},
    {{"trian", "run.yaml"},
     "lightrun: there is no command 'trian' (did you mean train?); see lightrun --help", "trian"},
    {{"--bogus"},
     "lightrun: there is no option --bogus; see lightrun --help", "--bogus"},
    {{"plan", "--bogus"},
     "lightrun plan: there is no option --bogus (a parameter of the model is --model.params.bogus); see lightrun plan --help", "--bogus"},
    {{},
     "lightrun: a command is missing; see lightrun --help", ""},
};
// clang-format on

}  // namespace

TEST_CASE("a wrong command line is told the command, what is wrong and where to look") {
  const TemporaryFolder folder;
  write_file(folder / "run.yaml", "model: {plugin: faulty}\noptimizer: {type: sgd}\n");
  for (const Mistake& each : kMistakes) {
    CAPTURE(each.message);
    const Outcome outcome = run_lightrun(folder, each.words);
    const auto lines = lines_of(outcome.err);
    CAPTURE(outcome.err);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.out.empty());
    REQUIRE(lines.size() == (each.marked.empty() ? 1U : 3U));
    CHECK(lines[0] == each.message);
    if (each.marked.empty()) continue;
    const auto caret = lines[2].find('^');
    REQUIRE(caret < lines[1].size());
    CHECK(lines[1].substr(caret, lines[2].size() - caret) == each.marked);
    CHECK(lines[2].size() - caret == each.marked.size());
  }
  CHECK_FALSE(std::filesystem::exists(folder / "runs"));
}

TEST_CASE("check --quiet says nothing of a good config, and all that is wrong with another") {
  const TemporaryFolder folder;
  write_file(folder / "run.yaml", "model: {plugin: faulty}\noptimizer: {type: sgd}\n");
  const std::vector<std::string> words = {"check", "--quiet", "run.yaml", "--plugin-dir", kPlugins};
  const Outcome good = run_lightrun(folder, words);
  CHECK(good.exit_code == 0);
  CHECK(good.out.empty());
  CHECK(good.err.empty());
  write_file(folder / "run.yaml", "model: {plugin: faulty}\noptimizer: {type: sgd}\nsed: 1\n");
  const Outcome wrong = run_lightrun(folder, words);
  CHECK(wrong.exit_code == 3);
  CHECK(contains(wrong.err, "run.yaml:3:1: sed: unknown key"));
}

TEST_CASE("a plugin that is not found is told where it is asked for, what is near and where was looked") {
  const TemporaryFolder folder;
  write_file(folder / "run.yaml", "optimizer: {type: sgd}\nmodel:\n  plugin: fautly\n");
  for (const std::string command : {"train", "plan", "check"}) {
    CAPTURE(command);
    const Outcome outcome = run_lightrun(folder, {command, "run.yaml", "--plugin-dir", kPlugins});
    const auto lines = lines_of(outcome.err);
    CAPTURE(outcome.err);
    CHECK(outcome.exit_code == 4);
    REQUIRE(lines.size() == (command == "check" ? 4 : 3));  // check adds that no batch was tried
    CHECK(lines[0].starts_with(
        "run.yaml:3:3: model.plugin: no plugin has a model called 'fautly' (did you mean "
        "faulty?); there are "));
    CHECK(contains(lines[0], "; looked in " + kPlugins + ", ./plugins, "));
    CHECK(lines[1] == "    3 |   plugin: fautly");
    CHECK(lines[2] == "      |   ^~~~~~");
  }
  const Outcome flag =
      run_lightrun(folder, {"train", "run.yaml", "--plugin-dir", kPlugins, "--model.plugin", "./a.so"});
  CHECK(flag.exit_code == 4);
  CHECK(contains(flag.err, "--model.plugin: ./a.so: no such file"));
  CHECK(contains(flag.err, "--model.plugin ./a.so\n"));
  CHECK_FALSE(std::filesystem::exists(folder / "runs"));
}
