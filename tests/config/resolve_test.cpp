#include "config/resolve.hpp"

#include "config/configs.hpp"
#include "support/catch.hpp"

#include <algorithm>

using namespace lightrun;
using namespace lightrun::config;
using namespace lightrun::tests;

TEST_CASE("a config with three faults is refused with exactly three lines, in the file's order") {
  const auto refused = Configs({"trainer:\n  max_epoch: 3\n  gradient_clip_val: -1\nmodel:\n  plugin: "
                                "m\ndata: {batch_size: five}\n"})
                           .refused();
  CHECK(refused.exit_code == ExitCode::config);
  CHECK(refused.text ==
        "a.yaml:2:3: trainer.max_epoch: unknown key (did you mean max_epochs?)\n"
        "a.yaml:3:22: trainer.gradient_clip_val: must be >= 0, got -1\n"
        "a.yaml:6:20: data.batch_size: expected a whole number, got 'five'");
}

TEST_CASE("what is not given has its default") {
  const auto spec = spec_of(kModel);
  CHECK(spec.seed == 0);
  CHECK(spec.run.dir == "runs");
  CHECK(spec.trainer.max_epochs == 1000);
  CHECK(spec.trainer.limit_val_batches == Limit::all());
  CHECK(spec.trainer.devices == std::vector<std::string>{"cpu"});
  CHECK(spec.model.plugin == "m");
  CHECK(spec.data.batch_size == 32);
  CHECK_FALSE(spec.optimizer);
  CHECK_FALSE(spec.scheduler);
  CHECK(spec.callbacks.empty());
  CHECK(spec.loggers.size() == 1);
}

TEST_CASE("the run is called like the first file, unless it has a name") {
  CHECK(Configs({kModel, "seed: 1\n"}).spec().run.name == "a");
  CHECK(spec_of(kModel + "run: {name: first}\n").run.name == "first");
}

TEST_CASE("trainer settings may stand at the top level") {
  const auto spec = spec_of(kModel + "max_epochs: 3\ntrainer: {max_steps: 9}\n");
  CHECK(spec.trainer.max_epochs == 3);
  CHECK(spec.trainer.max_steps == 9);
  CHECK(where(spec.origins, "trainer.max_epochs").ends_with("a.yaml:2:1: "));
  CHECK(spec_of(kModel + "trainer:\nmax_epochs: 3\n").trainer.max_epochs == 3);
}

TEST_CASE("the same setting at the top level and under trainer is refused, with both lines") {
  CHECK(problems_of(kModel + "max_epochs: 3\ntrainer:\n  max_epochs: 4\n") ==
        "a.yaml:4:3: trainer.max_epochs: given twice, on lines 2 and 4");
  CHECK(problems_of(kModel + "trainer:\n  max_epochs: 4\nmax_epochs: 3\n") ==
        "a.yaml:4:1: trainer.max_epochs: given twice, on lines 3 and 4");
  CHECK(problems_of("{max_epochs: 3, model: {plugin: m}, trainer: {max_epochs: 4}}\n") ==
        "a.yaml:1:47: trainer.max_epochs: given twice");
  CHECK(problems_of(kModel + "data: {shuffle: true, shuffle: false}\n") ==
        "a.yaml:2:23: data.shuffle: given twice");
}

TEST_CASE("H17: a misspelt key is refused at every depth, and all of them at once") {
  CHECK(
      problems_of(
          kModel +
          "trianer: {max_epochs: 3}\nmax_epoch: 3\ntrainer: {gradient_clip_vall: 0.5}\n"
          "callbacks: [{type: model_checkpoint, montor: x}]\noptimizer: {type: adam, learning_rate: 1}\n") ==
      "a.yaml:2:1: trianer: unknown key (did you mean trainer?)\n"
      "a.yaml:3:1: max_epoch: unknown key (did you mean max_epochs?)\n"
      "a.yaml:4:11: trainer.gradient_clip_vall: unknown key (did you mean gradient_clip_val?)\n"
      "a.yaml:5:38: callbacks.0.montor: unknown key (did you mean monitor?)\n"
      "a.yaml:6:25: optimizer.learning_rate: unknown key (known here: type, lr, betas, eps, weight_decay, "
      "amsgrad, groups)");
}

TEST_CASE("H17: a key in the wrong place is told the right one") {
  const std::pair<std::string, std::string> cases[] = {
      {"data: {max_epochs: 3}\n", "a.yaml:2:8: data.max_epochs: unknown key (it belongs under trainer)"},
      {"data: {max_epoch: 3}\n",
       "a.yaml:2:8: data.max_epoch: unknown key (did you mean max_epochs, under trainer?)"},
      {"lr: 0.1\n", "a.yaml:2:1: lr: unknown key (it belongs under optimizer)"},
      {"min_delta: 1\n", "a.yaml:2:1: min_delta: unknown key (it belongs under callbacks)"},
      {"monitor: x\n", "a.yaml:2:1: monitor: unknown key (it belongs under scheduler or under callbacks)"},
      {"trainer: {banana: 3}\n",
       "a.yaml:2:11: trainer.banana: unknown key (lightrun reference lists all settings)"},
      {"trainer: {seed: 3}\n", "a.yaml:2:11: trainer.seed: unknown key (it belongs at the top level)"},
      {"optimizer: {type: sgd, betas: [0, 0]}\n",
       "a.yaml:2:24: optimizer.betas: unknown key (sgd has no betas; adam and adamw have)"},
      {"data: {banana: 3}\n",
       "a.yaml:2:8: data.banana: unknown key (known here: batch_size, shuffle, drop_last, "
       "workers, prefetch, train, val, test, predict, normalize)"},
      {"loggers: [{type: csv, banana: 3}]\n",
       "a.yaml:2:23: loggers.0.banana: unknown key (known here: type, file)"},
  };
  for (const auto& [text, problem] : cases) {
    CAPTURE(text);
    CHECK(problems_of(kModel + text) == problem);
  }
}

TEST_CASE("H31: anchors may be kept at the top level, if they are used") {
  const auto spec = spec_of(
      kModel + "base: &b {max_epochs: 3, accumulate_grad_batches: 2}\ntrainer: {<<: *b, max_epochs: 1}\n");
  CHECK(spec.trainer.max_epochs == 1);
  CHECK(spec.trainer.accumulate_grad_batches == AccumulationSchedule{{0, 2}});
  CHECK(spec_of(kModel + "base: {rate: &r 0.5}\noptimizer: {type: sgd, lr: *r}\n").optimizer);
  CHECK(problems_of(kModel + "base: &b {max_epochs: 3}\n") ==
        "a.yaml:2:1: base: unknown key (known here: seed, run, trainer, model, data, optimizer, scheduler, "
        "callbacks, loggers)");
}

TEST_CASE("H32: a missing plugin is placed at its section, or at the file's start") {
  const std::string text = "model.plugin: missing: name of a registered model, or path to a shared library";
  CHECK(problems_of("seed: 1\nmodel:\n  params: {a: 1}\n") == "a.yaml:2:1: " + text);
  CHECK(problems_of("seed: 1\nmodel:\n") == "a.yaml:2:1: " + text);
  CHECK(problems_of("seed: 1\n") == "a.yaml:1:1: " + text);
}

TEST_CASE("H32: a value of another kind is refused with place, path, value and what is expected") {
  const std::pair<std::string, std::string> cases[] = {
      {"max_epochs: five\n", "a.yaml:2:13: trainer.max_epochs: expected a whole number, got 'five'"},
      {"max_epochs: [3]\n", "a.yaml:2:13: trainer.max_epochs: expected a whole number, got a list"},
      {"max_epochs: \"3\"\n",
       "a.yaml:2:13: trainer.max_epochs: expected a whole number, got the text \"3\": take off the quotes"},
      {"max_epochs:\n", "a.yaml:2:1: trainer.max_epochs: expected a whole number, got null"},
      {"max_epochs: 3.0\n", "a.yaml:2:13: trainer.max_epochs: expected a whole number, got '3.0'"},
      {"terminate_on_nan: yes\n", "a.yaml:2:19: trainer.terminate_on_nan: expected true or false, got 'yes'"},
      {"trainer: 3\n", "a.yaml:2:10: trainer: expected a map of settings, got '3'"},
      {"gradient_clip_algorithm: nrom\n",
       "a.yaml:2:26: trainer.gradient_clip_algorithm: expected norm or value, got 'nrom' (did you mean "
       "norm?)"},
      {"run: {dir: [a]}\n", "a.yaml:2:12: run.dir: expected a text, got a list"},
  };
  for (const auto& [text, problem] : cases) {
    CAPTURE(text);
    CHECK(problems_of(kModel + text) == problem);
  }
}

TEST_CASE("H32: a file that cannot be read or parsed ends it at once, without follow-up problems") {
  CHECK(problems_of("devices: [0, 1\n") == "a.yaml:1:10: devices: the [ is never closed");
  CHECK(problems_of("") == "a.yaml:1:1: no settings in this file");
  CHECK_THROWS_AS(resolve({"nope.yaml"}, {}), ConfigError);
  CHECK_THROWS_WITH(resolve({"nope.yaml"}, {}), "nope.yaml: cannot be read: No such file or directory");
}

TEST_CASE("what is wrong in two ways in one place is said once") {
  CHECK(problems_of(kModel + "max_epochs: ${env:LIGHTRUN_TEST_NO}\n") ==
        "a.yaml:2:13: max_epochs: the environment variable LIGHTRUN_TEST_NO is not set "
        "(${env:LIGHTRUN_TEST_NO:-...} gives a default)");
  CHECK(problems_of("max_epoch: 3\n") ==
        "a.yaml:1:1: max_epoch: unknown key (did you mean max_epochs?)\n"
        "a.yaml:1:1: model.plugin: missing: name of a registered model, or path to a shared library");
}

TEST_CASE("later files win, maps are merged, lists and values are replaced") {
  const auto spec =
      Configs({kModel + "max_epochs: 3\nmax_steps: 7\ncallbacks: [model_checkpoint, early_stopping]\n"
                        "accumulate_grad_batches: {0: 1, 5: 2}\n",
               "trainer: {max_epochs: 4, accumulate_grad_batches: {1: 3}}\ncallbacks: [model_checkpoint]\n"
               "model: {params: {a: 1}}\n"})
          .spec();
  CHECK(spec.trainer.max_epochs == 4);
  CHECK(spec.trainer.max_steps == 7);
  CHECK(spec.trainer.accumulate_grad_batches == AccumulationSchedule{{1, 3}});
  CHECK(spec.callbacks.size() == 1);
  CHECK(spec.model.plugin == "m");
  CHECK(spec.model.params.find("a")->text == "1");
  CHECK(where(spec.origins, "trainer.max_epochs").ends_with("b.yaml:1:11: "));
  CHECK(where(spec.origins, "trainer.max_steps").ends_with("a.yaml:3:1: "));
}

TEST_CASE("a block is merged while its type stays, and replaced whole when it changes") {
  const std::string adam = kModel + "optimizer: {type: adam, lr: 0.5, amsgrad: true}\n";
  const auto same =
      std::get<AdamSpec>(Configs({adam, "optimizer: {type: adam, lr: 0.25}\n"}).spec().optimizer->kind);
  CHECK(same.lr == 0.25);
  CHECK(same.amsgrad);
  const auto unnamed = std::get<AdamSpec>(Configs({adam, "optimizer: {lr: 0.25}\n"}).spec().optimizer->kind);
  CHECK(unnamed.amsgrad);
  const auto other =
      std::get<SgdSpec>(Configs({adam, "optimizer: {type: sgd, momentum: 0.5}\n"}).spec().optimizer->kind);
  CHECK(other.lr == 0.01);
  CHECK(other.momentum == 0.5);
  CHECK(std::get<SgdSpec>(Configs({adam, "optimizer: sgd\n"}).spec().optimizer->kind).lr == 0.01);
  CHECK_FALSE(Configs({adam, "optimizer: null\n"}).spec().optimizer);
}

TEST_CASE("parameters of the model that are called type do not replace each other") {
  const auto spec = Configs({"model: {plugin: m, params: {type: a, x: 1, in: {p: 1}}}\n",
                             "model: {params: {type: b, in: {q: 2}}}\n"})
                        .spec();
  CHECK(spec.model.params.find("type")->text == "b");
  CHECK(spec.model.params.find("x")->text == "1");
  CHECK(spec.model.params.find("in")->entries.size() == 2);
}

TEST_CASE("problems of several files come in the order of the files") {
  const Configs configs({"seed: x\n" + kModel, "data: {banana: 1}\nseed: 3\n", "max_steps: 0\n"});
  CHECK(configs.refused().text ==
        "b.yaml:1:8: data.banana: unknown key (known here: batch_size, shuffle, drop_last, "
        "workers, prefetch, train, val, test, predict, normalize)\n"
        "c.yaml:1:12: trainer.max_steps: must be >= 1, got 0");
}

TEST_CASE("H20: one batch where all may be meant is warned of, with its place") {
  const Configs configs({kModel + "limit_train_batches: 1\nlimit_val_batches: 1.0\n"});
  const auto resolved = configs.resolve();
  REQUIRE(resolved.warnings.size() == 1);
  CHECK(configs.relative(resolved.warnings[0]) ==
        "a.yaml:2:1: trainer.limit_train_batches: 1 is one batch, not 100% (1.0 is all)");
}

TEST_CASE("H36: a config of old with a version entry still loads") {
  const Configs configs({"version: 1\n" + kModel});
  CHECK(configs.spec().model.plugin == "m");
  CHECK(configs.relative(configs.resolve().warnings.at(0)) == "a.yaml:1:1: version: not used");
}

TEST_CASE("every setting that was given has its origin, and no other") {
  const auto spec = spec_of(kModel + "callbacks: [{type: model_checkpoint, monitor: x}]\noptimizer: adam\n");
  for (const char* path :
       {"model", "model.plugin", "callbacks", "callbacks.0", "callbacks.0.monitor", "optimizer"}) {
    CAPTURE(path);
    CHECK(spec.origins.contains(path));
  }
  CHECK_FALSE(spec.origins.contains("trainer.max_epochs"));
  CHECK_FALSE(spec.origins.contains("loggers.0"));
}
