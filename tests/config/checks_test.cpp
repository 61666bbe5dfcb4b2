#include "config/configs.hpp"
#include "support/catch.hpp"

using namespace lightrun;
using namespace lightrun::config;
using namespace lightrun::tests;

TEST_CASE("lbfgs takes neither accumulation nor clipping") {
  const std::string lbfgs = kModel + "optimizer: lbfgs\n";
  CHECK(problems_of(lbfgs + "accumulate_grad_batches: {0: 1, 3: 2}\n") ==
        "a.yaml:3:1: trainer.accumulate_grad_batches: not with lbfgs: it evaluates the loss of one batch "
        "several times a step; use a larger batch");
  CHECK(problems_of(lbfgs + "gradient_clip_val: 0.5\n") ==
        "a.yaml:3:1: trainer.gradient_clip_val: not with lbfgs: its line of descent is made from gradients "
        "that belong together; lower lr, or use line_search_fn: strong_wolfe");
  CHECK(problems_of(lbfgs + "gradient_clip_val: 0\naccumulate_grad_batches: 1\n").empty());
}

TEST_CASE("terminate_on_nan and skip exclude each other; stop says the same") {
  CHECK(problems_of(kModel + "terminate_on_nan: true\non_nonfinite: skip\n") ==
        "a.yaml:3:1: trainer.on_nonfinite: skip, but terminate_on_nan: true says stop; give one of them");
  CHECK(problems_of(kModel + "terminate_on_nan: true\non_nonfinite: stop\n").empty());
  CHECK(problems_of(kModel + "terminate_on_nan: false\non_nonfinite: skip\n").empty());
}

TEST_CASE("batches across epochs are counted, not a fraction") {
  CHECK(problems_of(kModel + "check_val_every_n_epoch: null\n") ==
        "a.yaml:2:1: trainer.check_val_every_n_epoch: null counts batches across epochs: val_check_interval "
        "must then be a number of batches, not 1.0");
  CHECK(problems_of(kModel + "check_val_every_n_epoch: null\nval_check_interval: 100\n").empty());
}

TEST_CASE("a model_checkpoint is refused where there are no checkpoints") {
  CHECK(
      problems_of(kModel + "enable_checkpointing: false\ncallbacks: [early_stopping, model_checkpoint]\n") ==
      "a.yaml:3:29: callbacks.1: a model_checkpoint, but trainer.enable_checkpointing is false");
  CHECK(problems_of(kModel + "callbacks: [early_stopping, early_stopping]\n").empty());
}

TEST_CASE("two loggers that would write the same file are refused") {
  CHECK(
      problems_of(kModel + "loggers: [csv, csv]\n") ==
      "a.yaml:2:16: loggers.1: would write the same metrics.csv as loggers.0: give one of them another name");
}

TEST_CASE("what does not go together is the flag's fault where a flag is concerned") {
  const auto refused = [](const std::string& lines, const std::vector<std::string>& flags) {
    return Configs({kModel + lines}).refused(flags);
  };
  const auto skip = refused("on_nonfinite: skip\n", {"--terminate_on_nan", "true"});
  CHECK(skip.exit_code == ExitCode::usage);
  CHECK(skip.text ==
        "--terminate_on_nan: trainer.on_nonfinite: skip, but terminate_on_nan: true says stop; give one of "
        "them");
  CHECK(refused("gradient_clip_val: 1\noptimizer: adam\n", {"--optimizer.type", "lbfgs"}).exit_code ==
        ExitCode::usage);
  CHECK(refused("accumulate_grad_batches: 2\n", {"--optimizer", "lbfgs"}).exit_code == ExitCode::usage);
  CHECK(refused("check_val_every_n_epoch: null\nval_check_interval: 3\n", {"--val_check_interval", "0.5"})
            .exit_code == ExitCode::usage);
  CHECK(refused("callbacks: [model_checkpoint]\n", {"--enable_checkpointing=false"}).exit_code ==
        ExitCode::usage);
  CHECK(refused("callbacks: [{type: model_checkpoint, save_top_k: 0}]\n", {"--callbacks.0.save_last=false"})
            .exit_code == ExitCode::usage);
  const std::string two =
      "callbacks: [{type: model_checkpoint, filename: x}, {type: model_checkpoint, filename: y, save_last: "
      "false}]\n";
  for (const char* flag :
       {"--callbacks.0.filename=y", "--callbacks.1.filename=x", "--callbacks.1.save_last"}) {
    CAPTURE(flag);
    CHECK(refused(two, {flag}).exit_code == ExitCode::usage);
  }
  CHECK(refused("optimizer: {type: sgd, nesterov: true, momentum: 0.9}\n", {"--optimizer.momentum", "0"})
            .exit_code == ExitCode::usage);
  CHECK(refused("terminate_on_nan: true\non_nonfinite: skip\n", {"--seed", "1"}).exit_code ==
        ExitCode::config);
}

TEST_CASE("a minimum beyond the maximum is warned of") {
  CHECK(warnings_of("min_epochs: 5\nmax_epochs: 3\n") ==
        Texts{"a.yaml:2:1: trainer.min_epochs: 5 is never reached: the run ends at 3"});
  CHECK(warnings_of("max_steps: 3\nmin_steps: 5\n") ==
        Texts{"a.yaml:3:1: trainer.min_steps: 5 is never reached: the run ends at 3"});
  CHECK(warnings_of("min_epochs: 5\nmax_epochs: -1\nmin_steps: 2\nmax_steps: 2\n").empty());
}

TEST_CASE("H20: 1 where 1.0 may be meant is warned of, for every limit") {
  const std::string meaning = "1 is one batch, not 100% (1.0 is all)";
  CHECK(warnings_of("limit_train_batches: 1\nlimit_val_batches: 1\nlimit_test_batches: 1\n"
                    "limit_predict_batches: 1\nval_check_interval: 1\n") ==
        Texts{"a.yaml:2:1: trainer.limit_train_batches: " + meaning,
              "a.yaml:3:1: trainer.limit_val_batches: " + meaning,
              "a.yaml:4:1: trainer.limit_test_batches: " + meaning,
              "a.yaml:5:1: trainer.limit_predict_batches: " + meaning,
              "a.yaml:6:1: trainer.val_check_interval: 1 is after every batch (1.0 is once an epoch)"});
  CHECK(warnings_of("limit_train_batches: 1.0\nval_check_interval: 2\noverfit_batches: 1\n").empty());
}
