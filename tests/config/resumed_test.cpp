#include "config/resumed.hpp"

#include "config/configs.hpp"
#include "config/dump.hpp"
#include "config/fields.hpp"
#include "support/catch.hpp"

#include <algorithm>

using namespace lightrun;
using namespace lightrun::config;
using namespace lightrun::tests;

namespace {

/// A config of these lines that goes on from a checkpoint with the config of those.
ResumedSpec resumed_of(const std::string& now, const std::string& saved, const Texts& flags = {}) {
  return resumed(spec_of(kModel + now, flags), dump(spec_of(kModel + saved)), "last.ckpt");
}

Texts differences_of(const std::string& now, const std::string& saved) {
  return resumed_of(now, saved).differences;
}

/// The same from a config that is not a dump of this version.
ResumedSpec resumed_from_text(const std::string& now, const std::string& saved) {
  return resumed(spec_of(kModel + now), saved, "last.ckpt");
}

/// A line for each setting that has another value than its default.
const std::string kOtherTraining =
    "seed: 7\naccumulate_grad_batches: {0: 1, 4: 2}\naccumulation_divisor: fixed\ngradient_clip_val: 0.5\n"
    "gradient_clip_algorithm: value\ntruncated_bptt_steps: 3\noverfit_batches: 2\nval_check_interval: 5\n"
    "check_val_every_n_epoch: null\nreload_dataloaders_every_n_epochs: 2\nprecision: 64\ndeterministic: "
    "true\n"
    "data: {batch_size: 8, shuffle: false, drop_last: true}\noptimizer: {type: sgd, lr: 0.1}\n"
    "scheduler: {type: step, step_size: 4}\n";
const std::string kOtherRest =
    "run: {dir: d, name: n, folder: f, checkpoint_dir: c}\nmax_epochs: 4\nmin_epochs: 2\nmax_steps: 90\n"
    "min_steps: 3\nmax_time: 60\nlimit_train_batches: 0.5\nlimit_val_batches: 3\nlimit_test_batches: 4\n"
    "limit_predict_batches: 5\n"
    "fast_dev_run: 2\nnum_sanity_val_steps: 0\nterminate_on_nan: true\nprint_nan_grads: true\n"
    "track_grad_norm: 2\non_save_error: retry\nprofiler: simple\nflat_parameters: false\naccelerator: "
    "cpu\ndevices: [cuda:0]\n"
    "log_every_n_steps: 5\nlog_save_interval: 5\nprogress_bar_refresh_rate: 5\nenable_progress_bar: false\n"
    "enable_model_summary: false\ncallbacks: [early_stopping]\nloggers: []\n";

}  // namespace

TEST_CASE("a resumed run has its training from the checkpoint, and everything else from now") {
  const auto all_from_checkpoint = resumed_of("", kOtherTraining).spec;
  CHECK(dump(all_from_checkpoint) == dump(spec_of(kModel + kOtherTraining)));
  const auto all_from_now = resumed_of(kOtherRest, "").spec;
  CHECK(dump(all_from_now) == dump(spec_of(kModel + kOtherRest)));
  const auto none_from_now = resumed_of(kOtherTraining, "").spec;
  CHECK(dump(none_from_now) == dump(spec_of(kModel)));
  const auto none_from_checkpoint = resumed_of("", kOtherRest).spec;
  CHECK(dump(none_from_checkpoint) == dump(spec_of(kModel)));
  const auto both = resumed_of(kOtherRest, kOtherTraining).spec;
  CHECK(dump(both) == dump(spec_of(kModel + kOtherTraining + kOtherRest)));
}

TEST_CASE("it is known of every setting where a resumed run has it from") {
  for (const FieldInfo& field : all_fields()) {
    INFO("a new setting needs a line in core/config/resumed.cpp: " << field.path);
    CHECK(resumed_from(field.path));
  }
  CHECK(resumed_from("optimizer.lr") == From::checkpoint);
  CHECK(resumed_from("trainer.max_epochs") == From::now);
  CHECK(resumed_from("callbacks.0.patience") == From::now);
  CHECK(resumed_from("loggers.0") == From::now_unlisted);
  CHECK(resumed_from("trainer") == std::nullopt);
  CHECK(resumed_from("trainer.max_epochs_per_day") == std::nullopt);
  CHECK(resumed_from("seeds") == std::nullopt);
}

TEST_CASE("exactly these settings come from the checkpoint") {
  CHECK(settings_from_checkpoint() ==
        Texts{"seed", "trainer.accumulate_grad_batches", "trainer.accumulation_divisor",
              "trainer.gradient_clip_val", "trainer.gradient_clip_algorithm", "trainer.truncated_bptt_steps",
              "trainer.overfit_batches", "trainer.reload_dataloaders_every_n_epochs",
              "trainer.val_check_interval", "trainer.check_val_every_n_epoch", "trainer.precision",
              "trainer.deterministic", "data", "optimizer", "scheduler"});
}

TEST_CASE("every setting that differs is a line, in the order of the dump") {
  CHECK(differences_of("max_epochs: 4\ndata: {batch_size: 16}\noptimizer: {type: sgd, lr: 0.5}\n",
                       "max_epochs: 2\nseed: 3\noptimizer: {type: sgd, lr: 0.1, momentum: 0.9}\n") ==
        Texts{"seed: 3 as in the checkpoint (the config says 0)",
              "trainer.max_epochs: 4 (the checkpoint's run had 2)",
              "data.batch_size: 32 as in the checkpoint (the config says 16)",
              "optimizer.lr: 0.1 as in the checkpoint (the config says 0.5)",
              "optimizer.momentum: 0.9 as in the checkpoint (the config says 0.0)"});
  CHECK(differences_of(kOtherTraining + kOtherRest, kOtherTraining + kOtherRest).empty());
  CHECK(differences_of("accumulate_grad_batches: {0: 1, 4: 2}\n", "") ==
        Texts{"trainer.accumulate_grad_batches: 1 as in the checkpoint (the config says {0: 1, 4: 2})"});
}

TEST_CASE("how many threads read the data comes from now, and is no difference") {
  const auto resumed =
      resumed_of("data: {workers: 4, batch_size: 16}\n", "data: {workers: 1, prefetch: 7, batch_size: 8}\n");
  CHECK(resumed.spec.data.workers == 4);
  CHECK(resumed.spec.data.prefetch == 2);
  CHECK(resumed.spec.data.batch_size == 8);
  CHECK(resumed.differences == Texts{"data.batch_size: 8 as in the checkpoint (the config says 16)"});
  CHECK(resumed_from("data.workers") == From::now_unlisted);
  CHECK(resumed_from("data.shuffle") == From::checkpoint);
}

TEST_CASE("a block of another type, or none, is one line") {
  const std::string sgd = "optimizer: {type: sgd, lr: 0.1}\n";
  CHECK(differences_of("optimizer: {type: adam, lr: 0.5}\n", sgd) ==
        Texts{"optimizer: sgd as in the checkpoint (the config says adam)"});
  CHECK(differences_of("", sgd) == Texts{"optimizer: sgd as in the checkpoint (the config says null)"});
  CHECK(differences_of(sgd, "") == Texts{"optimizer: null as in the checkpoint (the config says sgd)"});
  CHECK(differences_of("scheduler: cosine\n", "") ==
        Texts{"scheduler: null as in the checkpoint (the config says cosine)"});
  CHECK(std::get<SgdSpec>(resumed_of("", sgd).spec.optimizer->kind).lr == 0.1);
  CHECK_FALSE(resumed_of(sgd, "").spec.optimizer);
  CHECK_FALSE(resumed_of("scheduler: cosine\n", "").spec.scheduler);
}

TEST_CASE("callbacks are compared one by one") {
  const std::string two = "callbacks: [early_stopping, model_checkpoint]\n";
  CHECK(differences_of("callbacks: [{type: early_stopping, patience: 9}, early_stopping]\n", two) ==
        Texts{"callbacks.0.patience: 9 (the checkpoint's run had 3)",
              "callbacks.1: early_stopping (the checkpoint's run had model_checkpoint)"});
  CHECK(differences_of("", two) == Texts{"callbacks.0: none (the checkpoint's run had early_stopping)",
                                         "callbacks.1: none (the checkpoint's run had model_checkpoint)"});
  CHECK(differences_of(two, "callbacks: [early_stopping]\n") ==
        Texts{"callbacks.1: model_checkpoint (the checkpoint's run had none)"});
}

TEST_CASE("parameters of the model are compared at every depth, whatever they are called") {
  const auto params = [](const std::string& text) { return "model: {plugin: m, params: " + text + "}\n"; };
  const auto result = resumed(spec_of(params("{a: 1, type: x, in: {b: 2, d: [1, 2]}}")),
                              dump(spec_of(params("{type: y, in: {b: 3, c: \"4\", d: [1, 2]}}"))), "x");
  CHECK(result.differences == Texts{"model.params.a: 1 (the checkpoint's run had none)",
                                    "model.params.type: x (the checkpoint's run had y)",
                                    "model.params.in.b: 2 (the checkpoint's run had 3)",
                                    "model.params.in.c: none (the checkpoint's run had \"4\")"});
  CHECK(result.spec.model.params.find("a")->text == "1");
}

TEST_CASE("what only changes the folder, the loggers or the terminal is not listed") {
  CHECK(differences_of("run: {dir: d, name: n, folder: f, checkpoint_dir: c}\nloggers: []\n"
                       "log_every_n_steps: 5\nlog_save_interval: 5\nprogress_bar_refresh_rate: 5\n"
                       "enable_progress_bar: false\nenable_model_summary: false\n"
                       "enable_checkpointing: false\n",
                       "")
            .empty());
}

TEST_CASE("settings of now keep their origins, and replaced ones have none") {
  const auto spec = resumed_of("optimizer: {type: sgd, lr: 0.5, momentum: 0.9}\nscheduler: {type: cosine}\n",
                               "optimizer: {type: sgd, lr: 0.1, momentum: 0.9}\n", {"--max_epochs", "4"})
                        .spec;
  CHECK(where(spec.origins, "trainer.max_epochs") == "--max_epochs: ");
  for (const char* path : {"model.plugin", "optimizer", "optimizer.momentum"}) {
    CAPTURE(path);
    CHECK(spec.origins.contains(path));
  }
  for (const char* path : {"optimizer.lr", "scheduler", "scheduler.type"}) {
    CAPTURE(path);
    CHECK_FALSE(spec.origins.contains(path));
  }
}

TEST_CASE("a checkpoint of another version: unknown keys are passed over, and missing ones have defaults") {
  const auto result = resumed_from_text(
      "seed: 3\ncallbacks: [model_checkpoint]\n",
      "seed: 5\nfuture: {a: 1}\nrun: {dir: runs, colour: red}\nmodel: {plugin: m, params: {}}\n"
      "trainer: {max_epochs: 1000, warp: 9}\noptimizer: {type: sgd, lr: 0.01, swing: 1}\n"
      "callbacks: [{type: model_checkpoint, monitor: val_loss, mode: min, aim: high}]\n");
  CHECK(result.differences == Texts{"seed: 5 as in the checkpoint (the config says 3)",
                                    "optimizer: sgd as in the checkpoint (the config says null)"});
  CHECK(result.spec.data.batch_size == 32);
}

TEST_CASE("what the run has from now need not be readable in the checkpoint") {
  const auto result = resumed_from_text(
      "max_epochs: 4\n",
      "seed: 0\nmodel: {plugin: m}\ntrainer: {max_epochs: endless, enable_progress_bar: maybe}\n"
      "callbacks: [early_stopping, telepathy]\n");
  CHECK(
      result.differences ==
      Texts{"trainer.max_epochs: as in the config (the checkpoint's cannot be read: expected a whole number, "
            "got 'endless')",
            "callbacks.1.type: as in the config (the checkpoint's cannot be read: unknown type 'telepathy'; "
            "there are model_checkpoint, early_stopping, lr_monitor, gradient_accumulation_scheduler, timer, "
            "freeze, ema, swa, plugin)"});
  CHECK(result.spec.trainer.max_epochs == 4);
  CHECK(result.spec.callbacks.empty());
}

TEST_CASE("a config that cannot be read is a runtime error that names the checkpoint") {
  const std::pair<const char*, const char*> cases[] = {
      {"seed: [1\n", "line 1: seed: the [ is never closed"},
      {"", "line 1: expected settings, got null"},
      {"- 1\n", "line 1: expected settings, got a list"},
      {"seed: 1\nseed: 2\n", "line 2: seed: given twice, on lines 1 and 2"},
      {"seed: 0\ndata: {batch_size: 0}\n", "line 2: data.batch_size: must be >= 1, got 0"},
      {"trainer: 3\n", "line 1: trainer: expected a map of settings, got '3'"},
      {"scheduler: {type: multi_step}\n",
       "line 1: scheduler.milestones: missing: epochs (or steps) at which the learning rate decays"},
  };
  for (const auto& [saved, text] : cases) {
    CAPTURE(saved);
    CHECK_THROWS_AS(resumed_from_text("", saved), RunError);
    CHECK_THROWS_WITH(resumed_from_text("", saved),
                      std::string("last.ckpt: the config in it cannot be read: ") + text);
  }
}
