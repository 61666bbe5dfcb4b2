// Every exit code, out of a situation that gives it.

#include "support/exit_codes.hpp"
#include "e2e/faulty_run.hpp"
#include "support/catch.hpp"

#include <set>
#include <string>
#include <vector>

using namespace lightrun::tests;

namespace {

struct Situation {
  const char* code;    ///< as support::exit_codes() writes it
  const char* what;    ///< for the reader
  const char* config;  ///< run.yaml
  std::vector<std::string> words;
  const char* says;  ///< in stderr; "" for a stderr that is empty
};

constexpr const char* kRight = "model: {plugin: faulty}\noptimizer: {type: sgd}\nmax_epochs: 1\n";

// clang-format off
const std::vector<Situation> kSituations = {
    {"0", "a run",                 kRight, {"train", "run.yaml"}, ""},
    {"0", "help",                  "",    {"train", "--help"}, ""},
    {"2", "an unknown flag",       kRight, {"train", "run.yaml", "--bogus"}, "there is no option --bogus"},
    {"2", "a flag's wrong value",  kRight, {"train", "run.yaml", "--seed", "x"}, "--seed: "},
    {"2", "no config",             "",    {"train"}, "no config"},
    {"3", "an unknown key",        "trainer: {max_epoch: 3}\n", {"train", "run.yaml"}, "run.yaml:1:11: trainer.max_epoch: unknown key"},
    {"3", "no such file",          "",    {"train", "nowhere.yaml"}, "nowhere.yaml"},
    {"4", "no such plugin",        "model: {plugin: fautly}\noptimizer: {type: sgd}\n", {"train", "run.yaml"}, "did you mean faulty?"},
    {"4", "what is no library",    "model: {plugin: ./run.yaml.so}\noptimizer: {type: sgd}\n", {"train", "run.yaml"}, "no such file"},
    {"5", "a model that throws",   "model: {plugin: faulty, params: {throw_at: 2}}\noptimizer: {type: sgd}\n", {"train", "run.yaml"}, "boom"},
    {"5", "no checkpoint there",   kRight, {"train", "run.yaml", "--resume", "last"}, "there is no run in runs/run"},
    {"6", "a loss that is NaN",    "model: {plugin: faulty, params: {nan_at: 2}}\noptimizer: {type: sgd}\nterminate_on_nan: true\n", {"train", "run.yaml"}, "the loss is nan"},
};
// clang-format on

/// With the tests' plugins, for the commands that take them.
std::vector<std::string> with_plugins(std::vector<std::string> words) {
  words.insert(words.end(), {"--plugin-dir", kPlugins});
  return words;
}

}  // namespace

TEST_CASE("every exit code is given by the situations it stands for") {
  std::set<std::string> seen = {"128+n"};  // below
  for (const Situation& each : kSituations) {
    CAPTURE(each.code, each.what);
    const TemporaryFolder folder;
    write_file(folder / "run.yaml", each.config);
    const bool is_bare = each.words.size() == 1;
    const Outcome outcome = run_lightrun(folder, is_bare ? each.words : with_plugins(each.words));
    CAPTURE(outcome.err);
    CHECK(std::to_string(outcome.exit_code) == each.code);
    CHECK(contains(outcome.err, each.says));
    if (*each.says == '\0') CHECK(outcome.err.empty());
    seen.insert(each.code);
  }
  for (const auto& [code, meaning] : lightrun::support::exit_codes()) {
    CAPTURE(code);
    CHECK(seen.contains(code));
  }
}

TEST_CASE("128 + n is given by a run that signal n has stopped") {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const TemporaryFolder folder;
    write_file(folder / "run.yaml",
               "model: {plugin: faulty, params: {sleep_ms: 20}}\n"
               "trainer: {max_epochs: 1000, log_every_n_steps: 1}\noptimizer: {type: sgd}\n");
    LightrunProcess process(folder.path(), {"train", "run.yaml", "--plugin-dir", kPlugins});
    const auto metrics = folder / "runs/run/0/metrics.csv";
    while (!process.has_ended() &&
           !(std::filesystem::exists(metrics) && lines_of(read_file(metrics)).size() > 2))
      usleep(10'000);
    process.signal(number);
    CHECK(process.wait().exit_code == 128 + number);
  }
}
