#include "config/configs.hpp"
#include "support/catch.hpp"

using namespace lightrun::config;
using namespace lightrun::tests;

TEST_CASE("a model_checkpoint says what it keeps and when it saves") {
  const auto checkpoint_of = [](const std::string& settings) {
    const auto spec = spec_of(kModel + "callbacks: [{type: model_checkpoint" + settings + "}]\n");
    return std::get<ModelCheckpointSpec>(spec.callbacks.at(0));
  };
  const auto is = checkpoint_of(
      ", monitor: null, mode: max, save_top_k: -1, every_n_epochs: 0, every_n_train_steps: 100, "
      "every_n_minutes: 0.5, save_on_signal: false, save_on_exception: false, save_last: false");
  CHECK(is.monitor == std::nullopt);
  CHECK(is.mode == Mode::max);
  CHECK(is.save_top_k == -1);
  CHECK_FALSE(is.save_last);
  CHECK(is.every_n_epochs == 0);
  CHECK(is.every_n_train_steps == 100);
  CHECK(is.every_n_minutes == 0.5);
  CHECK_FALSE(is.save_on_signal);
  CHECK_FALSE(is.save_on_exception);
  const auto by_default = checkpoint_of("");
  CHECK(by_default.monitor == "val_loss");
  CHECK(by_default.save_top_k == 1);
  CHECK(by_default.save_last);
  CHECK(by_default.every_n_epochs == 1);
  CHECK(by_default.every_n_train_steps == std::nullopt);
  CHECK(by_default.every_n_minutes == std::nullopt);
  CHECK(by_default.save_on_signal);
  CHECK(by_default.save_on_exception);
}

TEST_CASE("two model_checkpoints may not write the same file") {
  const auto said_of = [](const std::string& first, const std::string& second) {
    return problems_of(kModel + "callbacks:\n  - {type: model_checkpoint" + first +
                       "}\n  - {type: model_checkpoint" + second + "}\n");
  };
  const std::string same = "a.yaml:4:5: callbacks.1: would write the same ";
  CHECK(said_of("", "") ==
        same +
            "best.ckpt and last.ckpt as callbacks.0: give one of them another filename and "
            "save_last: false");
  CHECK(said_of("", ", monitor: x, save_last: false") ==
        same + "best.ckpt as callbacks.0: give one of them another filename");
  CHECK(said_of("", ", monitor: null") ==
        same + "last.ckpt as callbacks.0: give one of them save_last: false");
  CHECK(said_of(", save_top_k: 2, save_last: false", ", monitor: null") ==
        same + "{epoch}-{step}.ckpt as callbacks.0: give one of them another filename");
  CHECK(said_of(", save_top_k: 0, filename: best", ", filename: best, save_last: false").empty());
  CHECK(said_of("", ", monitor: x, filename: best_x, save_last: false").empty());
  CHECK(said_of(", save_last: false", ", monitor: null").empty());
}

TEST_CASE("a third model_checkpoint is held against both before it") {
  CHECK(problems_of(kModel +
                    "callbacks:\n  - model_checkpoint\n  - {type: model_checkpoint, save_last: false, "
                    "filename: x}\n  - {type: model_checkpoint, save_last: false, filename: x}\n") ==
        "a.yaml:5:5: callbacks.2: would write the same x.ckpt as callbacks.1: give one of them another "
        "filename");
}

TEST_CASE("a model_checkpoint that would never write, and settings without effect, are refused") {
  const auto said_of = [](const std::string& settings) {
    return problems_of(kModel + "callbacks: [{type: model_checkpoint, " + settings + "}]\n");
  };
  CHECK(
      said_of("save_top_k: 0, save_last: false") ==
      "a.yaml:2:38: callbacks.0.save_top_k: 0, and save_last is false: it would never write anything; for a "
      "run without checkpoints give trainer.enable_checkpointing: false");
  CHECK(said_of("every_n_epochs: 0, save_on_signal: false, save_on_exception: false") ==
        "a.yaml:2:38: callbacks.0.every_n_epochs: 0, and nothing else makes it write: give 1 or more");
  CHECK(said_of("every_n_epochs: 0, save_last: false") ==
        "a.yaml:2:38: callbacks.0.every_n_epochs: 0, and nothing else makes it write: give 1 or more");
  const std::string no_effect =
      ": no effect: it is for last.ckpt, and save_last is false; take save_last: true, or monitor: null, "
      "which "
      "keeps the newest";
  CHECK(said_of("every_n_train_steps: 5, save_last: false") ==
        "a.yaml:2:38: callbacks.0.every_n_train_steps" + no_effect);
  CHECK(said_of("every_n_minutes: 5, save_last: false") ==
        "a.yaml:2:38: callbacks.0.every_n_minutes" + no_effect);
  for (const char* fine :
       {"every_n_train_steps: 5, save_last: false, monitor: null", "every_n_minutes: 5, save_top_k: 0",
        "monitor: null, save_top_k: 3", "every_n_epochs: 0",
        "every_n_epochs: 0, every_n_train_steps: 5, save_on_signal: "
        "false, save_on_exception: false"}) {
    CAPTURE(fine);
    CHECK(said_of(fine).empty());
  }
}
