// The field reports about configs and starting a run, with the real executable: exit code and message, and
// that nothing is trained and no folder made.

#include "e2e/faulty_run.hpp"
#include "e2e/safetensors_bytes.hpp"
#include "support/catch.hpp"

#include <cstring>

using namespace lightrun::tests;
namespace fs = std::filesystem;

namespace {

using Texts = std::vector<std::string>;

/// P-LIN(4): batch i has gradient i + 1, so an epoch of single steps gives w = -10.
const std::string kFour = "model: {plugin: faulty, params: {batches: 4}}\noptimizer: {type: sgd, lr: 1}\n";

Outcome run_on(const TemporaryFolder& folder, const std::string& command, const std::string& config,
               const Texts& flags = {}) {
  write_file(folder / "run.yaml", config);
  Texts words = {command, "run.yaml", "--plugin-dir", kPlugins};
  words.insert(words.end(), flags.begin(), flags.end());
  return run_lightrun(folder, words);
}

/// `train` refuses the config with this code, and says all of `parts`.
void check_refused(const std::string& config, int code, const Texts& parts, const Texts& flags = {}) {
  const TemporaryFolder folder;
  const Outcome outcome = run_on(folder, "train", config, flags);
  CAPTURE(config, flags, outcome.err);
  CHECK(outcome.exit_code == code);
  CHECK(outcome.out.empty());
  for (const std::string& part : parts) {
    CAPTURE(part);
    CHECK(contains(outcome.err, part));
  }
  CHECK_FALSE(fs::exists(folder / "runs"));
}

/// The resolved config, as `check --print` shows it.
std::string resolved(const std::string& config, const Texts& flags = {}) {
  const TemporaryFolder folder;
  Texts words = flags;
  words.emplace_back("--print");
  const Outcome outcome = run_on(folder, "check", config, words);
  CAPTURE(config, flags, outcome.err);
  CHECK(outcome.exit_code == 0);
  return outcome.out;
}

/// Everything from `section` on to the next one.
std::string section_of(const std::string& config, const std::string& section) {
  const auto begin = config.find('\n' + section + ':');
  if (begin == std::string::npos) return "";
  auto end = begin + 1;
  do {
    end = config.find('\n', end + 1);
  } while (end + 1 < config.size() && std::strchr(" -", config[end + 1]) != nullptr);
  return config.substr(begin + 1, end - begin);
}

}  // namespace

TEST_CASE("H15: a duplicate key is an error with both lines, and nothing is trained") {
  check_refused(kFour + "trainer:\n  max_epochs: 1\n  max_epochs: 5\n", 3,
                {"run.yaml:5:3: trainer.max_epochs: given twice, on lines 4 and 5"});
  check_refused(kFour + "max_epochs: 1\nmax_epochs: 5\n", 3,
                {"run.yaml:4:1: max_epochs: given twice, on lines 3 and 4"});
  check_refused(kFour + "callbacks:\n  - type: early_stopping\n    monitor: a\n    monitor: b\n", 3,
                {"run.yaml:6:5: callbacks.0.monitor: given twice, on lines 5 and 6"});
}

TEST_CASE("H16: a leading zero is refused in a file and on the command line alike") {
  check_refused(kFour + "trainer: {max_epochs: 010}\n", 3, {"run.yaml:3:23: trainer.max_epochs: ", "010"});
  check_refused(kFour + "seed: 08\n", 3, {"run.yaml:3:7: seed: ", "'08': a leading zero"});
  check_refused(kFour, 2, {"--trainer.max_epochs: ", "'010': a leading zero"},
                {"--trainer.max_epochs", "010"});
  check_refused(kFour + "trainer: {limit_train_batches: 010}\n", 3,
                {"run.yaml:3:32: trainer.limit_train_batches: ", "010"});
}

TEST_CASE("H17: typos are refused at every depth, all in one go, with the nearest name") {
  check_refused(kFour +
                    "trainer: {max_epoch: 3, gradient_clip_value: 0.5}\n"
                    "trianer: {max_epochs: 3}\n"
                    "callbacks: [{type: early_stopping, patienc: 3}]\n",
                2,
                {"run.yaml:3:11: trainer.max_epoch: unknown key (did you mean max_epochs?)",
                 "run.yaml:3:25: trainer.gradient_clip_value: unknown key (did you mean gradient_clip_val?)",
                 "run.yaml:4:1: trianer: unknown key (did you mean trainer?)",
                 "run.yaml:5:36: callbacks.0.patienc: unknown key (did you mean patience?)",
                 "there is no option --trainer.max_epoch (did you mean --trainer.max_epochs?)"},
                {"--trainer.max_epoch", "3"});
}

TEST_CASE("H17: gradient_clip, an old name of Lightning's, is taken for the setting, with a warning") {
  const TemporaryFolder folder;
  const Outcome outcome = run_on(folder, "check", kFour + "trainer: {gradient_clip: 0.5}\n", {"--print"});
  CHECK(outcome.exit_code == 0);
  CHECK(contains(outcome.err, "run.yaml:3:11: gradient_clip is now called trainer.gradient_clip_val"));
  CHECK(contains(outcome.out, "\n  gradient_clip_val: 0.5\n"));
}

TEST_CASE("H31: merge keys are merged: one epoch of two steps, w = -5") {
  const TemporaryFolder folder;
  const Outcome outcome = run_on(folder, "train",
                                 kFour +
                                     "base: &b {max_epochs: 3, accumulate_grad_batches: 2}\n"
                                     "trainer: {<<: *b, max_epochs: 1}\n");
  CAPTURE(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const auto last = folder / "runs/run/0/checkpoints/last.ckpt";
  double weight = 0;
  std::memcpy(&weight, tensor_bytes(last).at("w").data(), sizeof weight);
  CHECK(weight == -5.0);
  CHECK(contains(read_file(last), "\\\"global_step\\\":2"));
}

TEST_CASE("H32: an error says where, which setting, what was found and what is expected") {
  const std::vector<std::pair<std::string, Texts>> cases = {
      {kFour + "max_epochs: five\n",
       {"run.yaml:3:13: trainer.max_epochs: expected a whole number, got 'five'"}},
      {kFour + "max_epochs: [3]\n",
       {"run.yaml:3:13: trainer.max_epochs: expected a whole number, got a list"}},
      {kFour + "trainer:\n  devices: [cpu\n", {"run.yaml:4:12: ", "the [ is never closed"}},
      {kFour + "trainer:\n\tmax_epochs: 3\n", {"run.yaml:4:1: ", "tab"}},
      {"seed: 1\nmodel:\n  params: {a: 1}\n", {"run.yaml:2:1: model.plugin: "}},
      {"seed: 1\n", {"run.yaml:1:1: model.plugin: "}},
      {"", {"run.yaml:1:1: "}},
      {"this is a plain sentence\n", {"run.yaml:1:1: ", "'this is a plain sentence'"}},
      {kFour + "---\nseed: 1\n", {"run.yaml:3:1: "}}};
  for (const auto& [config, parts] : cases) check_refused(config, 3, parts);
  const TemporaryFolder folder;
  const Outcome missing = run_lightrun(folder, {"train", "nowhere.yaml"});
  CHECK(missing.exit_code == 3);
  CHECK(contains(missing.err, "nowhere.yaml: cannot be read: No such file or directory"));
}

TEST_CASE("H33: a list on the command line is replaced, appended to, or changed by index") {
  const std::string config = kFour +
                             "callbacks:\n"
                             "  - {type: early_stopping, monitor: val_loss, patience: 2, strict: false}\n"
                             "  - {type: early_stopping, monitor: val_acc, patience: 3, strict: false}\n";
  const auto callbacks = [&](const Texts& flags) { return section_of(resolved(config, flags), "callbacks"); };
  const auto patiences = [](const std::string& text) {
    Texts found;
    for (auto at = text.find("patience: "); at != std::string::npos; at = text.find("patience: ", at + 1))
      found.push_back(text.substr(at + 10, 1));
    return found;
  };
  CHECK(patiences(callbacks({})) == Texts{"2", "3"});
  const std::string other = "{type: early_stopping, monitor: x, patience: 9, strict: false}";
  CHECK(patiences(callbacks({"--callbacks", "[" + other + "]"})) == Texts{"9"});
  CHECK(patiences(callbacks({"--callbacks+", other})) == Texts{"2", "3", "9"});
  CHECK(patiences(callbacks({"--callbacks.1.patience", "5"})) == Texts{"2", "5"});
  check_refused(config, 2, {"--callbacks.7.x: callbacks has 2 entries, so there is no index 7 (from 0)"},
                {"--callbacks.7.x", "1"});
}

TEST_CASE("H34: device lists that cannot be are refused where they stand, before any data is read") {
  // data_fails: reading the data would be another error.
  const std::string model = "model: {plugin: faulty, params: {data_fails: true}}\noptimizer: {type: sgd}\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"[0, 0]", "cuda:0 is given twice"}, {"[cuda:9]", "there is no cuda:9"}, {"[]", ""}, {"[0, 1", ""}};
  for (const auto& [devices, text] : cases) {
    CAPTURE(devices);
    check_refused(model + "devices: " + devices + "\n", 3, {"run.yaml:3:", text});
  }
}

TEST_CASE("H34: the start names the device that is used") {
  const TemporaryFolder folder;
  const Outcome outcome = run_on(folder, "train", kFour + "trainer: {devices: [cpu], max_epochs: 1}\n");
  CHECK(outcome.exit_code == 0);
  CHECK(contains(outcome.out, "cpu"));
  // "2" is a count as 2 is, never an index.
  for (const char* devices : {"2", "\"2\""})
    check_refused(kFour + "devices: " + devices + "\n", 3,
                  {"run.yaml:3:10: trainer.devices: ", "several devices"});
}

TEST_CASE("H36: a run's own config gives the same config again, digit for digit") {
  const TemporaryFolder folder;
  const Outcome first = run_on(folder, "train",
                               kFour +
                                   "version: 1\n"
                                   "trainer: {max_epochs: 1, track_grad_norm: null}\n"
                                   "run: {name: \"yes\", dir: \"010\"}\n",
                               {"--trainer.gradient_clip_val", "0.1", "--optimizer.lr", "1e-3"});
  CAPTURE(first.err);
  REQUIRE(first.exit_code == 0);
  const std::string saved = read_file(folder / "010/yes/0/config.yaml");
  for (const char* line : {"\n  gradient_clip_val: 0.1\n", "  lr: 0.001\n", "  name: \"yes\"\n",
                           "  dir: \"010\"\n", "  track_grad_norm: null\n"}) {
    CAPTURE(line, saved);
    CHECK(contains(saved, line));
  }
  const Outcome again = run_lightrun(folder, {"train", "010/yes/0/config.yaml", "--plugin-dir", kPlugins});
  CAPTURE(again.err);
  REQUIRE(again.exit_code == 0);
  CHECK(read_file(folder / "010/yes/1/config.yaml") == saved);
}
