// plugins, schema, completion: what a user can ask before writing a config.

#include "support/catch.hpp"

#include "e2e/lightrun_process.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>

using namespace lightrun::tests;

namespace {

const std::vector<std::string> kPluginFlags = {"--plugin-dir", LIGHTRUN_BUILD_DIR "/tests/plugins/e2e"};

Outcome ask(const TemporaryFolder& folder, std::vector<std::string> words) {
  words.insert(words.end(), kPluginFlags.begin(), kPluginFlags.end());
  return run_lightrun(folder, words);
}

std::vector<std::string> completed(const TemporaryFolder& folder, std::vector<std::string> words) {
  words.insert(words.begin(), "complete");
  const Outcome outcome = run_lightrun(folder, words);
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  return lines_of(outcome.out);
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("plugins lists every model with its parameters, and says which libraries cannot be used") {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "plugins");
  write_file(folder / "plugins/broken.so", "no library");
  const Outcome outcome = ask(folder, {"plugins"});
  CAPTURE(outcome.out, outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK(contains(outcome.out, "faulty"));
  CHECK(contains(outcome.out, "buffer_mb          0"));
  CHECK(contains(outcome.out, "size of a buffer that comes along"));
  CHECK(contains(outcome.out, "broken.so"));
  CHECK(contains(outcome.out, "model probe  P-LIN"));
  CHECK(contains(outcome.out, "source ramp  "));
  CHECK(contains(outcome.out, "callback stopper  "));
  const Outcome one = ask(folder, {"plugins", "probe"});
  CHECK(one.exit_code == 0);
  CHECK_FALSE(contains(one.out, "faulty"));
  const Outcome none = ask(folder, {"plugins", "prob"});
  CHECK(none.exit_code == 4);
  CHECK(contains(none.err, "there is no model, source or callback 'prob' (did you mean probe?)"));
}

TEST_CASE("the schema takes every shipped config, and refuses what lightrun refuses") {
  const TemporaryFolder folder;
  const Outcome outcome = ask(folder, {"schema"});
  REQUIRE(outcome.exit_code == 0);
  const auto schema = nlohmann::json::parse(outcome.out);
  CHECK(schema["properties"]["max_epochs"].contains("description"));
  if (std::system("/usr/bin/python3 -c 'import jsonschema, yaml' 2>/dev/null") != 0) {
    WARN("not tested: python3-jsonschema and python3-yaml are not installed");
    return;
  }
  write_file(folder / "schema.json", outcome.out);
  write_file(folder / "full.yaml",
             "seed: 3\nmax_epochs: ${env:EPOCHS:-3}\n"
             "trainer: {accumulate_grad_batches: {0: 1, 4: 2}, max_time: 1h, limit_val_batches: 0.5}\n"
             "model: {plugin: probe, params: {hidden: 4, val_losses: [1, 0.5]}}\n"
             "optimizer: adam\nscheduler: {type: cosine}\n"
             "data: {train: {source: plugin, name: ramp, params: {count: 3}}}\n"
             "callbacks: [early_stopping, {type: plugin, name: stopper, params: {after: 2}}, {type: "
             "model_checkpoint, monitor: null, save_top_k: 2}]\n"
             "loggers: [csv]\n");
  write_file(folder / "validate.py", R"(
import json, re, sys, yaml, jsonschema
# PyYAML knows YAML 1.1 only, where 5e-3 is a text.
yaml.SafeLoader.add_implicit_resolver('tag:yaml.org,2002:float', re.compile(r'^[-+]?[0-9]+e[-+]?[0-9]+$'), list('-+0123456789'))
schema = json.load(open('schema.json'))
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
for path in sys.argv[1:]:
    for error in validator.iter_errors(yaml.safe_load(open(path))):
        sys.exit(f'{path}: {error}')
for wrong in ('max_epoch: 3', 'trainer: {max_epochs: five}', 'optimizer: {type: adam, lrr: 1}',
              'trainer: {gradient_clip_val: -1}', 'model: {plugin: probe, params: {hiden: 3}}',
              'callbacks: [{type: early_stoping}]',
              'callbacks: [{type: plugin, name: stopper, params: {aftr: 2}}]',
              'data: {train: {source: plugin, name: ramp, params: {count: many}}}', 'trainer: {precision: 8}'):
    if validator.is_valid(yaml.safe_load(wrong)):
        sys.exit(f'taken: {wrong}')
)");
  const std::string configs = LIGHTRUN_SOURCE_DIR "/configs/*.yaml";
  CHECK(std::system(("cd " + folder.path().string() + " && /usr/bin/python3 validate.py full.yaml " + configs)
                        .c_str()) == 0);
}

TEST_CASE("completion knows commands, settings and the values of those that have a choice") {
  const TemporaryFolder folder;
  CHECK(completed(folder, {"tr"}) == Words{"train"});
  const auto commands = completed(folder, {""});
  CHECK(std::ranges::find(commands, "plan") != commands.end());
  CHECK(std::ranges::find(commands, "complete") == commands.end());
  CHECK(completed(folder, {"train", "a.yaml", "--max_ep"}) == Words{"--max_epochs"});
  CHECK(completed(folder, {"train", "a.yaml", "--trainer.max_"}) ==
        Words{"--trainer.max_epochs", "--trainer.max_steps", "--trainer.max_time"});
  CHECK(completed(folder, {"train", "--gradient_clip_algorithm", ""}) == Words{"norm", "value"});
  CHECK(completed(folder, {"train", "--optimizer", "ada"}) == Words{"adagrad", "adam", "adamw"});
  CHECK(completed(folder, {"train", "--terminate_on_nan", "t"}) == Words{"true"});
  CHECK(completed(folder, {"train", "--resume", ""}) == Words{"auto", "best", "last"});
  CHECK(completed(folder, {"train", "--res"}) == Words{"--resume"});
  CHECK(completed(folder, {"train", "configs/"}).empty());
  CHECK(completed(folder, {"completion", "z"}) == Words{"zsh"});
}

TEST_CASE("the script for bash completes in bash") {
  const TemporaryFolder folder;
  write_file(folder / "try.sh", "PATH=" LIGHTRUN_BUILD_DIR
                                "/bin:$PATH\n"
                                "source <(lightrun completion bash)\n"
                                "COMP_WORDS=(lightrun train a.yaml --max_ep) COMP_CWORD=3\n"
                                "_lightrun\necho \"${COMPREPLY[*]}\" > reply\n");
  CHECK(std::system(("cd " + folder.path().string() + " && bash try.sh").c_str()) == 0);
  CHECK(read_file(folder / "reply") == "--max_epochs\n");
  CHECK(run_lightrun(folder, {"completion", "tcsh"}).exit_code == 2);
}
