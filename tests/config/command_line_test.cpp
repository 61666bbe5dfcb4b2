#include "config/command_line.hpp"

#include "config/configs.hpp"
#include "support/catch.hpp"

using namespace lightrun;
using namespace lightrun::config;
using namespace lightrun::tests;

namespace {

using Words = std::vector<std::string>;

/// The flags as `name=value`, without a value where there is none.
Words flags_of(const CommandLine& line) {
  Words texts;
  for (const Flag& flag : line.flags) texts.push_back(flag.typed + (flag.value ? "=" + *flag.value : ""));
  return texts;
}

}  // namespace

TEST_CASE("files and flags may come in any order") {
  const auto line = read_command_line({"a.yaml", "--seed", "3", "b.yaml", "--max_epochs=4", "c.yaml"});
  CHECK(line.files == Words{"a.yaml", "b.yaml", "c.yaml"});
  CHECK(flags_of(line) == Words{"--seed=3", "--max_epochs=4"});
}

TEST_CASE("a flag whose setting takes true may stand alone") {
  const std::pair<Words, Words> cases[] = {
      {{"--fast_dev_run"}, {"--fast_dev_run=true"}},
      {{"--fast_dev_run", "--seed", "1"}, {"--fast_dev_run=true", "--seed=1"}},
      {{"--fast-dev-run", "3"}, {"--fast-dev-run=3"}},
      {{"--terminate_on_nan", "false"}, {"--terminate_on_nan=false"}},
      {{"--trainer.deterministic"}, {"--trainer.deterministic=true"}},
      {{"--profiler"}, {"--profiler=true"}},
      {{"--optimizer.nesterov"}, {"--optimizer.nesterov=true"}},
      {{"--callbacks.0.strict"}, {"--callbacks.0.strict=true"}},
      {{"--early_stop_callback"}, {"--early_stop_callback=true"}},
      {{"--seed"}, {"--seed"}},
      {{"--run.name"}, {"--run.name"}},
      {{"--callbacks.0"}, {"--callbacks.0"}},
      {{"--banana"}, {"--banana"}},
  };
  for (const auto& [words, flags] : cases) {
    CAPTURE(words);
    const auto line = read_command_line(words);
    CHECK(flags_of(line) == flags);
    CHECK(line.files.empty());
  }
}

TEST_CASE("after a flag that may stand alone, a word that can be no value is a file") {
  for (const char* file : {"run.yaml", "configs/digits", "./x", "3.yaml"}) {
    for (const char* flag : {"--fast_dev_run", "--shuffle", "--profiler", "--logger"}) {
      CAPTURE(flag, file);
      const auto line = read_command_line({flag, file});
      CHECK(line.files == Words{file});
      CHECK(flags_of(line) == Words{std::string(flag) + "=true"});
    }
  }
  CHECK(flags_of(read_command_line({"--run.name", "run.yaml"})) == Words{"--run.name=run.yaml"});
}

TEST_CASE("a word that is no value but no file either is a wrong value, not a missing file") {
  for (const char* word : {"True", "yes", "-1"}) {
    CAPTURE(word);
    CHECK_THAT(
        problems_of(kModel, {"--terminate_on_nan", word}),
        Catch::Matchers::StartsWith("--terminate_on_nan: trainer.terminate_on_nan: expected true or false"));
  }
}

TEST_CASE("words with one dash are unexpected") {
  const auto line = read_command_line({"-x", "--", "a.yaml"});
  CHECK(line.unexpected == Words{"-x", "--"});
  CHECK(line.files == Words{"a.yaml"});
}

TEST_CASE("a whole command line is resolved") {
  const Configs configs({kModel + "max_epochs: 9\n"});
  const auto spec = resolve_words({"--fast_dev_run", configs.files()[0], "--max_epochs", "3"}).spec;
  CHECK(spec.trainer.fast_dev_run == 1);
  CHECK(spec.trainer.max_epochs == 3);
  CHECK(spec.run.name == "a");
  CHECK_THROWS_WITH(resolve_words({configs.files()[0], "-x"}),
                    "there is no option -x (settings are --name value)");
}
