#include "config/fields.hpp"

#include "config/configs.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <set>

using namespace lightrun::config;
using namespace lightrun::tests;

namespace {

/// What is said of one more line, without its place.
std::string said_of(const std::string& line) {
  const std::string text = problems_of(kModel + line + "\n");
  const auto end = text.find(": ");
  return end == std::string::npos ? "" : text.substr(end + 2);
}

template <typename Spec>
Spec optimizer_of(const std::string& settings) {
  return std::get<Spec>(spec_of(kModel + "optimizer: {" + settings + "}\n").optimizer->kind);
}

}  // namespace

TEST_CASE("each setting refuses what is out of its range") {
  const std::pair<std::string, std::string> cases[] = {
      {"seed: -1", "seed: must be >= 0, got -1"},
      {"max_epochs: -2", "trainer.max_epochs: must be >= -1, got -2"},
      {"max_steps: 0", "trainer.max_steps: must be >= 1, got 0"},
      {"truncated_bptt_steps: 0", "trainer.truncated_bptt_steps: must be >= 1, got 0"},
      {"num_sanity_val_steps: -2", "trainer.num_sanity_val_steps: must be >= -1, got -2"},
      {"fast_dev_run: -1", "trainer.fast_dev_run: must be >= 0, got -1"},
      {"fast_dev_run: yes", "trainer.fast_dev_run: expected true, false or a number of batches, got 'yes'"},
      {"log_every_n_steps: 0", "trainer.log_every_n_steps: must be >= 1, got 0"},
      {"limit_val_batches: .nan",
       "trainer.limit_val_batches: expected a count (10) or a fraction (0.1, 1.0), got '.nan'"},
      {"data: {batch_size: 0}", "data.batch_size: must be >= 1, got 0"},
      {"run: {name: a/b}", "run.name: must be a plain file name without /, got 'a/b'"},
      {"run: {name: ..}", "run.name: must be a plain file name without /, got '..'"},
      {"run: {name: \"\"}", "run.name: must not be empty"},
      {"run: {name: \"a\\nb\"}",
       "run.name: must be on one line, without control characters, got the text \"a...\""},
      {"run: {name: \"a\\eb\"}",
       "run.name: must be on one line, without control characters, got the text \"a\\x1bb\""},
      {"run: {name: \"a\\u0085b\"}",
       "run.name: must be on one line, without control characters, got the text \"a\xC2\x85"
       "b\""},
      {"run: {dir: \"\"}", "run.dir: must not be empty"},
      {"scheduler: {type: step, step_size: 0}", "scheduler.step_size: must be >= 1, got 0"},
      {"scheduler: {type: exponential, gamma: 0}", "scheduler.gamma: must be > 0, got 0"},
      {"scheduler: {type: cosine, t_max: 0}", "scheduler.t_max: must be >= 1, got 0"},
      {"scheduler: {type: cosine, frequency: 0}", "scheduler.frequency: must be >= 1, got 0"},
      {"scheduler: {type: cosine, interval: batch}",
       "scheduler.interval: expected epoch or step, got 'batch'"},
      {"scheduler: {type: multi_step}",
       "scheduler.milestones: missing: epochs (or steps) at which the learning rate decays"},
      {"callbacks: [{type: model_checkpoint, mode: mim}]",
       "callbacks.0.mode: expected min or max, got 'mim' (did you mean min?)"},
      {"callbacks: [{type: model_checkpoint, save_top_k: -2}]",
       "callbacks.0.save_top_k: must be >= -1, got -2"},
      {"callbacks: [{type: model_checkpoint, monitor: \"\"}]", "callbacks.0.monitor: must not be empty"},
      {"callbacks: [{type: model_checkpoint, every_n_epochs: -1}]",
       "callbacks.0.every_n_epochs: must be >= 0, got -1"},
      {"callbacks: [{type: model_checkpoint, every_n_train_steps: 0}]",
       "callbacks.0.every_n_train_steps: must be >= 1, got 0"},
      {"callbacks: [{type: model_checkpoint, every_n_minutes: 0}]",
       "callbacks.0.every_n_minutes: must be > 0, got 0"},
      {"on_save_error: retyr",
       "trainer.on_save_error: expected stop or retry, got 'retyr' (did you mean retry?)"},
  };
  for (const auto& [line, problem] : cases) {
    CAPTURE(line);
    CHECK(said_of(line) == problem);
  }
}

TEST_CASE("H08: 0 and null turn clipping off; negative, not finite and text are refused") {
  for (const char* off : {"0", "0.0", "null", "~"}) {
    CHECK(spec_of(kModel + "gradient_clip_val: " + off + "\n").trainer.gradient_clip_val == 0);
  }
  CHECK(spec_of(kModel + "gradient_clip_val: 5\n").trainer.gradient_clip_val == 5);
  CHECK(said_of("gradient_clip_val: -1") == "trainer.gradient_clip_val: must be >= 0, got -1");
  CHECK(said_of("gradient_clip_val: .nan") == "trainer.gradient_clip_val: must be finite, got .nan");
  CHECK(said_of("gradient_clip_val: .inf") == "trainer.gradient_clip_val: must be finite, got .inf");
  CHECK(said_of("gradient_clip_val: \"abc\"") ==
        "trainer.gradient_clip_val: expected a number, got the text \"abc\"");
}

TEST_CASE("H16: a leading zero is refused, whatever the setting") {
  for (const char* line :
       {"max_epochs: 010", "seed: 08", "limit_train_batches: 010", "gradient_clip_val: 010"}) {
    CAPTURE(line);
    CHECK_THAT(said_of(line), Catch::Matchers::Contains("a leading zero is octal to some readers"));
  }
}

TEST_CASE("fast_dev_run is a number of batches, true is one") {
  CHECK(spec_of(kModel + "fast_dev_run: true\n").trainer.fast_dev_run == 1);
  CHECK(spec_of(kModel + "fast_dev_run: false\n").trainer.fast_dev_run == 0);
  CHECK(spec_of(kModel + "fast_dev_run: 7\n").trainer.fast_dev_run == 7);
}

TEST_CASE("a number may be written as a whole one, and with an exponent") {
  CHECK(optimizer_of<SgdSpec>("type: sgd, lr: 1").lr == 1.0);
  CHECK(optimizer_of<SgdSpec>("type: sgd, lr: 1e-3").lr == 0.001);
  CHECK(spec_of(kModel + "max_epochs: 1e3\n").trainer.max_epochs == 1000);
}

TEST_CASE("accumulate_grad_batches is a count, or a map from epoch to one") {
  const auto schedule = [](const std::string& value) {
    return spec_of(kModel + "accumulate_grad_batches: " + value + "\n").trainer.accumulate_grad_batches;
  };
  CHECK(schedule("4") == AccumulationSchedule{{0, 4}});
  CHECK(schedule("{0: 1, 4: 2}") == AccumulationSchedule{{0, 1}, {4, 2}});
  const std::string path = "trainer.accumulate_grad_batches: ";
  CHECK(said_of("accumulate_grad_batches: 0") == path + "must be >= 1, got 0");
  CHECK(said_of("accumulate_grad_batches: {}") == path + "an empty map: give at least one epoch");
  CHECK(said_of("accumulate_grad_batches: {2: 0}") == path + "must be >= 1, got 0");
  CHECK(said_of("accumulate_grad_batches: {-1: 2}") == path + "epoch -1: must be >= 0, got -1");
  CHECK(said_of("accumulate_grad_batches: {x: 2}") == path + "epoch x: expected a whole number, got 'x'");
  CHECK(said_of("accumulate_grad_batches: {1: 2, 0x1: 3}") == path + "epoch 1 is given twice");
  CHECK(said_of("accumulate_grad_batches: [2]") ==
        path + "expected a whole number, or a map from epoch to one, got a list");
}

TEST_CASE("H34: devices are named, counted, or indices in a list, and never mixed up") {
  const auto devices = [](const std::string& value) {
    return spec_of(kModel + "devices: " + value + "\n").trainer.devices;
  };
  using Names = std::vector<std::string>;
  CHECK(devices("[cpu]") == Names{"cpu"});
  CHECK(devices("cpu") == Names{"cpu"});
  CHECK(devices("cuda") == Names{"cuda:0"});
  CHECK(devices("cuda:9") == Names{"cuda:9"});
  CHECK(devices("[cuda:9]") == Names{"cuda:9"});
  CHECK(devices("[1]") == Names{"cuda:1"});
  CHECK(devices("1") == Names{"auto"});
  CHECK(devices("\"1\"") == Names{"auto"});
  CHECK(devices("-1") == Names{"auto"});
  CHECK(devices("auto") == Names{"auto"});
}

TEST_CASE("H34: duplicate, no, too many and unknown devices are refused") {
  const std::string several = "training on several devices is not there yet; give one";
  const std::pair<std::string, std::string> cases[] = {
      {"[0, 0]", "cuda:0 is given twice"},
      {"[cuda:1, 1]", "cuda:1 is given twice"},
      {"2", several},
      {"\"2\"", several},
      {"[cuda:0, cuda:1]", several},
      {"[cpu, cpu]", several},
      {"[]", "an empty list: give at least one device"},
      {"0", "a number of devices must be >= 1 (or -1, as auto), got 0"},
      {"gpu", "expected cpu, cuda, cuda:N, auto, a count, or a list of devices, got 'gpu'"},
      {"cuda:01", "expected cpu, cuda, cuda:N, auto, a count, or a list of devices, got 'cuda:01'"},
      {"[cuda:x]", "expected cpu, cuda, cuda:N or auto, or a GPU's index, got 'cuda:x'"},
      {"null", "expected cpu, cuda, cuda:N, auto, a count, or a list of devices, got null"},
  };
  for (const auto& [value, problem] : cases) {
    CAPTURE(value);
    CHECK(said_of("devices: " + value) == "trainer.devices: " + problem);
  }
  CHECK(problems_of("devices: [0, 1\n") == "a.yaml:1:10: devices: the [ is never closed");
}

TEST_CASE("an optimizer has PyTorch's defaults and checks") {
  const auto adam = optimizer_of<AdamSpec>("type: adam, betas: [0.5, 0.75]");
  CHECK(adam.lr == 0.001);
  CHECK(adam.betas == std::vector<double>{0.5, 0.75});
  CHECK(optimizer_of<AdamWSpec>("type: adamw").weight_decay == 0.01);
  CHECK(optimizer_of<RmspropSpec>("type: rmsprop").alpha == 0.99);
  CHECK(optimizer_of<AdagradSpec>("type: adagrad").eps == 1e-10);
  CHECK(optimizer_of<SgdSpec>("type: sgd, lr: 0").lr == 0);

  CHECK(said_of("optimizer: {type: sgd, lr: -1}") == "optimizer.lr: must be >= 0, got -1");
  CHECK(said_of("optimizer: {type: sgd, lr: .inf}") == "optimizer.lr: must be finite, got .inf");
  CHECK(said_of("optimizer: {type: adam, betas: [0.9, 1.0]}") ==
        "optimizer.betas: must be >= 0 and < 1, got 1.0");
  CHECK(said_of("optimizer: {type: adam, betas: [0.9]}") ==
        "optimizer.betas: expected a list of 2, each a number, got a list of 1");
  CHECK(said_of("optimizer: {type: adam, eps: -1}") == "optimizer.eps: must be >= 0, got -1");
}

TEST_CASE("nesterov needs momentum and no dampening") {
  const std::string problem = "optimizer.nesterov: needs momentum > 0 and dampening 0";
  CHECK(said_of("optimizer: {type: sgd, nesterov: true}") == problem);
  CHECK(said_of("optimizer: {type: sgd, nesterov: true, momentum: 0.9, dampening: 0.1}") == problem);
  CHECK(optimizer_of<SgdSpec>("type: sgd, nesterov: true, momentum: 0.9").nesterov);
}

TEST_CASE("a scheduler has the settings of its shape, an interval and a frequency") {
  const auto spec =
      spec_of(kModel + "scheduler: {type: multi_step, milestones: [2, 4], interval: step, frequency: 3}\n");
  CHECK(std::get<MultiStepSpec>(spec.scheduler->shape).milestones == std::vector<int64_t>{2, 4});
  CHECK(spec.scheduler->interval == Interval::step);
  CHECK(spec.scheduler->frequency == 3);
  CHECK(std::holds_alternative<CosineSpec>(spec_of(kModel + "scheduler: cosine\n").scheduler->shape));
}

TEST_CASE("a block names its type, and an unknown one is told what there is") {
  CHECK(said_of("optimizer: {type: adm}") ==
        "optimizer.type: unknown type 'adm' (did you mean adam?); there are sgd, adam, adamw, rmsprop, "
        "adagrad, lbfgs");
  CHECK(said_of("optimizer: {lr: 1}") ==
        "optimizer.type: missing: one of sgd, adam, adamw, rmsprop, adagrad, lbfgs");
  CHECK(
      said_of("callbacks: [early_stop]") ==
      "callbacks.0.type: unknown type 'early_stop'; there are model_checkpoint, early_stopping, lr_monitor, "
      "gradient_accumulation_scheduler, timer, freeze, ema, swa, plugin");
  CHECK(said_of("optimizer: [adam]") ==
        "optimizer: expected a map with a type (sgd | adam | adamw | rmsprop | adagrad | lbfgs), got a list");
}

TEST_CASE("a type that is null or no text is told what there is") {
  const std::string types = "expected sgd, adam, adamw, rmsprop, adagrad or lbfgs, got ";
  CHECK(said_of("optimizer: {type: null}") == "optimizer.type: " + types + "null");
  CHECK(said_of("optimizer: {type: }") == "optimizer.type: " + types + "null");
  CHECK(said_of("optimizer: {type: [sgd]}") == "optimizer.type: " + types + "a list");
}

TEST_CASE("callbacks and loggers are lists, of maps or just names, and may be empty") {
  const auto spec = spec_of(
      kModel +
      "callbacks: [model_checkpoint, {type: early_stopping, monitor: acc, mode: max}]\nloggers: [csv]\n");
  REQUIRE(spec.callbacks.size() == 2);
  CHECK(std::get<ModelCheckpointSpec>(spec.callbacks[0]).monitor == "val_loss");
  CHECK(std::get<EarlyStoppingSpec>(spec.callbacks[1]).mode == Mode::max);
  CHECK(spec.loggers.size() == 1);
  CHECK(spec_of(kModel + "loggers: []\ncallbacks: []\n").loggers.empty());
  CHECK(said_of("callbacks: model_checkpoint") ==
        "callbacks: expected a list ([] for none), got 'model_checkpoint'; one alone is [model_checkpoint]");
  CHECK(said_of("loggers:") == "loggers: expected a list ([] for none), got null");
}

TEST_CASE("a run may have a folder of its own, and try again to save") {
  CHECK(spec_of(kModel + "run: {folder: out/x}\n").run.folder == "out/x");
  CHECK(spec_of(kModel + "run: {folder: null}\n").run.folder.empty());
  CHECK(spec_of(kModel, {"--folder", "out"}).run.folder == "out");
  CHECK(spec_of(kModel).trainer.on_save_error == OnSaveError::stop);
  CHECK(spec_of(kModel + "on_save_error: retry\n").trainer.on_save_error == OnSaveError::retry);
}

TEST_CASE("a text is taken as it stands, also where it looks like something else") {
  CHECK(spec_of(kModel + "run: {name: 010, dir: yes}\n").run.name == "010");
  CHECK(spec_of(kModel + "run: {name: null}\n").run.name == "a");
}

TEST_CASE("model.params is taken whole; only a map will do") {
  const auto spec = spec_of("model: {plugin: m, params: {hidden: 64, anything: [1, {a: b}]}}\n");
  CHECK(spec.model.params.find("hidden")->text == "64");
  CHECK(spec.origins.contains("model.params.hidden"));
  CHECK(problems_of("model: {plugin: m, params: 3}\n") ==
        "a.yaml:1:28: model.params: expected a map, got '3'");
}

TEST_CASE("all settings are listed with type, default, range and help") {
  const auto all = all_fields();
  const auto field = [&](const std::string& path, const std::string& block = "") {
    const auto at = std::find_if(all.begin(), all.end(), [&](const FieldInfo& each) {
      return each.path == path && each.block == block;
    });
    REQUIRE(at != all.end());
    return *at;
  };
  CHECK(field("trainer.max_epochs").type == "a whole number");
  CHECK(field("trainer.max_epochs").default_value == "1000");
  CHECK(field("trainer.max_epochs").range == ">= -1");
  CHECK(field("trainer.max_epochs").help == "Stop after this many epochs; -1: no limit");
  CHECK(field("trainer.max_epochs").parent() == "trainer");
  CHECK(field("trainer.max_epochs").name() == "max_epochs");
  CHECK(field("seed").parent() == "");
  CHECK(field("trainer.devices").default_value == "[cpu]");
  CHECK(field("model.plugin").default_value == "");
  CHECK(field("optimizer.lr", "sgd").default_value == "0.01");
  CHECK(field("optimizer.lr", "adam").default_value == "0.001");
  CHECK(field("callbacks.N.monitor", "model_checkpoint").default_value == "val_loss");
  std::set<std::string> seen;
  for (const FieldInfo& each : all) {
    CAPTURE(each.path, each.block);
    CHECK_FALSE(each.help.empty());
    CHECK_FALSE(each.type.empty());
    CHECK(seen.insert(each.path + " " + each.block).second);
  }
}
