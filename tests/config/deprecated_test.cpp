#include "config/deprecated.hpp"

#include "config/configs.hpp"
#include "config/dump.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <set>

using namespace lightrun;
using namespace lightrun::config;
using namespace lightrun::tests;

namespace {

/// Whether the old line means the same run as the new one, in all three places where it may stand.
void check_same(const std::string& name, const std::string& value, const std::string& new_lines) {
  CAPTURE(name, value);
  const std::string wanted = dump(spec_of(kModel + new_lines));
  CHECK(dump(spec_of(kModel + name + ": " + value + "\n")) == wanted);
  CHECK(dump(spec_of(kModel + "trainer: {" + name + ": " + value + "}\n")) == wanted);
  CHECK(dump(spec_of(kModel, {"--" + name, value})) == wanted);
  CHECK(dump(spec_of(kModel, {"--trainer." + name + "=" + value})) == wanted);
}

}  // namespace

TEST_CASE("an old name sets the new setting, at the top level, under trainer and as a flag") {
  check_same("max_nb_epochs", "3", "max_epochs: 3\n");
  check_same("min_nb_epochs", "3", "min_epochs: 3\n");
  check_same("row_log_interval", "7", "log_every_n_steps: 7\n");
  check_same("add_row_log_interval", "7", "log_every_n_steps: 7\n");
  check_same("nb_sanity_val_steps", "5", "num_sanity_val_steps: 5\n");
  check_same("gradient_clip", "0.5", "gradient_clip_val: 0.5\n");
  check_same("default_save_path", "out", "run: {dir: out}\n");
  check_same("default_root_dir", "out", "run: {dir: out}\n");
  check_same("default_root_dir", "null", "");
  check_same("weights_save_path", "out", "run: {checkpoint_dir: out}\n");
  check_same("show_progress_bar", "false", "enable_progress_bar: false\n");
  check_same("checkpoint_callback", "false", "enable_checkpointing: false\n");
  check_same("checkpoint_callback", "true", "");
}

TEST_CASE("an old value that meant something else is converted") {
  check_same("train_percent_check", "1", "limit_train_batches: 1.0\n");
  check_same("train_percent_check", "0.25", "limit_train_batches: 0.25\n");
  check_same("val_percent_check", "1.0", "limit_val_batches: 1.0\n");
  check_same("val_percent_check", "0.0", "limit_val_batches: 0\n");
  check_same("test_percent_check", "0.5", "limit_test_batches: 0.5\n");
  check_same("overfit_pct", "1", "overfit_batches: 1.0\n");
  check_same("overfit_pct", "0", "overfit_batches: 0\n");
  check_same("reload_dataloaders_every_epoch", "true", "reload_dataloaders_every_n_epochs: 1\n");
  check_same("reload_dataloaders_every_epoch", "false", "reload_dataloaders_every_n_epochs: 0\n");
  check_same("weights_summary", "null", "enable_model_summary: false\n");
  check_same("weights_summary", "top", "enable_model_summary: true\n");
  check_same("weights_summary", "full", "enable_model_summary: true\n");
  check_same("early_stop_callback", "true", "callbacks: [early_stopping]\n");
  check_same("early_stop_callback", "false", "");
  check_same("early_stop_callback", "null", "");
  check_same("logger", "false", "loggers: []\n");
  check_same("logger", "true", "");
}

TEST_CASE("an old name is warned of once, with its place and the new name") {
  CHECK(warnings_of("max_nb_epochs: 3\n") ==
        Texts{"a.yaml:2:1: max_nb_epochs is now called trainer.max_epochs"});
  CHECK(warnings_of("trainer:\n  train_percent_check: 1\n") ==
        Texts{"a.yaml:3:3: train_percent_check is now called trainer.limit_train_batches (there 1 was "
              "everything: it becomes 1.0)"});
  CHECK(warnings_of("", {"--max-nb-epochs", "3"}) ==
        Texts{"--max_nb_epochs is now called --trainer.max_epochs"});
  CHECK(
      warnings_of("early_stop_callback: true\n") ==
      Texts{
          "a.yaml:2:1: early_stop_callback is now an entry of callbacks (true adds an early_stopping; false "
          "and null add nothing)"});
}

TEST_CASE("an old value out of range is refused under its old name") {
  CHECK(problems_of(kModel + "train_percent_check: 2\n") ==
        "a.yaml:2:22: train_percent_check: expected a fraction from 0 to 1 (1 is everything), got '2'");
  CHECK(problems_of(kModel + "overfit_pct: -0.1\n") ==
        "a.yaml:2:14: overfit_pct: expected a fraction from 0 to 1 (1 is everything), got '-0.1'");
  CHECK(problems_of(kModel + "weights_summary: ful\n") ==
        "a.yaml:2:18: weights_summary: expected top, full or null, got 'ful' (did you mean full?)");
  CHECK(problems_of(kModel + "reload_dataloaders_every_epoch: 1\n") ==
        "a.yaml:2:33: reload_dataloaders_every_epoch: expected true or false, got '1'");
  CHECK(problems_of(kModel, {"--train_percent_check=2"}) ==
        "--train_percent_check: expected a fraction from 0 to 1 (1 is everything), got '2'");
  CHECK(problems_of(kModel + "max_nb_epochs: x\n") ==
        "a.yaml:2:16: trainer.max_epochs: expected a whole number, got 'x'");
}

TEST_CASE("where an object stood, its settings are sent to their section") {
  CHECK(problems_of(kModel + "checkpoint_callback: {monitor: acc}\n") ==
        "a.yaml:2:22: checkpoint_callback: expected true or false, got a map: its settings belong under "
        "callbacks, after type: model_checkpoint");
  CHECK(problems_of(kModel + "early_stop_callback: {patience: 3}\n") ==
        "a.yaml:2:22: early_stop_callback: expected true or false, got a map: its settings belong under "
        "callbacks, after type: early_stopping");
  CHECK(problems_of(kModel + "logger: [a]\n") ==
        "a.yaml:2:9: logger: expected true or false, got a list: loggers are entries of loggers, such as "
        "{type: "
        "csv}");
}

TEST_CASE("the old and the new name together are refused, with both places") {
  CHECK(
      problems_of(kModel + "max_nb_epochs: 3\nmax_epochs: 4\n") ==
      "a.yaml:2:1: max_nb_epochs is now called trainer.max_epochs, which is given on line 3, too: keep that "
      "one");
  CHECK(
      problems_of(kModel + "trainer:\n  max_epochs: 4\n  max_nb_epochs: 3\n") ==
      "a.yaml:4:3: max_nb_epochs is now called trainer.max_epochs, which is given on line 3, too: keep that "
      "one");
  CHECK(problems_of(kModel + "row_log_interval: 3\nadd_row_log_interval: 4\n") ==
        "a.yaml:3:1: add_row_log_interval is now called trainer.log_every_n_steps, which is given on line 2, "
        "too: keep that one");
  CHECK(problems_of(kModel + "logger: true\nloggers: [csv]\n") ==
        "a.yaml:2:1: logger is now called loggers, which is given on line 3, too: keep that one");
  CHECK(problems_of(kModel + "early_stop_callback: true\ncallbacks: [{type: early_stopping}]\n") ==
        "a.yaml:2:1: early_stop_callback adds an early_stopping, but callbacks has one, on line 3: keep that "
        "one");
  CHECK(problems_of(kModel, {"--max_epochs=4", "--max_nb_epochs=3"}) ==
        "--max_nb_epochs is now called --trainer.max_epochs, which is given, too: keep that one");
}

TEST_CASE("a later file and a flag win over an old name as over the new one") {
  CHECK(Configs({kModel + "max_nb_epochs: 3\n", "max_epochs: 4\n"}).spec().trainer.max_epochs == 4);
  CHECK(spec_of(kModel + "max_epochs: 3\n", {"--max_nb_epochs", "4"}).trainer.max_epochs == 4);
  CHECK(spec_of(kModel + "callbacks: [model_checkpoint]\n", {"--early_stop_callback"}).callbacks.size() == 2);
  CHECK(spec_of(kModel + "max_nb_epochs: &n 3\nmax_steps: *n\n").trainer.max_epochs == 3);
}

TEST_CASE("an old setting of a model_checkpoint is taken under its new name, wherever it stands") {
  const std::string wanted =
      dump(spec_of(kModel + "callbacks: [early_stopping, {type: model_checkpoint, every_n_epochs: 3}]\n"));
  for (const char* name : {"period", "every_n_val_epochs"}) {
    CAPTURE(name);
    const std::string entry = "{type: model_checkpoint, " + std::string(name) + ": 3}";
    const std::string two = "callbacks: [early_stopping, model_checkpoint]\n";
    CHECK(dump(spec_of(kModel + "callbacks: [early_stopping, " + entry + "]\n")) == wanted);
    CHECK(dump(spec_of(kModel + "callbacks: [early_stopping]\n", {"--callbacks+", entry})) == wanted);
    CHECK(dump(spec_of(kModel, {"--callbacks=[early_stopping, " + entry + "]"})) == wanted);
    CHECK(dump(spec_of(kModel + two, {"--callbacks.1." + std::string(name), "3"})) == wanted);
    CHECK(dump(spec_of(kModel + "callbacks: [early_stopping, " + entry + "]\n",
                       {"--callbacks.1.every_n_epochs", "3"})) == wanted);
  }
}

TEST_CASE("an old setting of a model_checkpoint is warned of, and refused beside the new one") {
  CHECK(warnings_of("callbacks: [{type: model_checkpoint, period: 3}]\n") ==
        Texts{"a.yaml:2:38: period of model_checkpoint is now called every_n_epochs"});
  CHECK(warnings_of("callbacks: [model_checkpoint]\n", {"--callbacks.0.period=3"}) ==
        Texts{"--callbacks.0.period: period of model_checkpoint is now called every_n_epochs"});
  CHECK(problems_of(kModel + "callbacks: [{type: model_checkpoint, every_n_epochs: 2, period: 3}]\n") ==
        "a.yaml:2:57: callbacks.0.period: is now called every_n_epochs, which is given, too: keep that one");
  CHECK(
      problems_of(kModel + "callbacks: [model_checkpoint]\n",
                  {"--callbacks.0.period=3", "--callbacks.0.every_n_epochs=2"}) ==
      "--callbacks.0.period is now called --callbacks.0.every_n_epochs, which is given, too: keep that one");
  CHECK(problems_of(kModel + "callbacks: [{type: early_stopping, period: 3}]\n")
            .starts_with("a.yaml:2:36: callbacks.0.period: unknown key"));
  CHECK(problems_of(kModel + "callbacks: [{type: model_checkpoint, period: x}]\n") ==
        "a.yaml:2:46: callbacks.0.every_n_epochs: expected a whole number, got 'x'");
}

TEST_CASE("what is not offered says so, and what to use instead, at its place") {
  CHECK(problems_of(kModel + "trainer:\n  gpus: 1\n") ==
        "a.yaml:3:3: gpus: use trainer.devices: auto, cuda:0, [0] or cpu");
  CHECK(problems_of(kModel + "use_amp: true\n") ==
        "a.yaml:2:1: use_amp: use trainer.precision: 32, 64, bf16 or 16");
  CHECK(problems_of(kModel, {"--resume_from_checkpoint", "x.ckpt"}) ==
        "--resume_from_checkpoint: give --resume last, best, auto or a checkpoint's path");
  CHECK(Configs({kModel}).refused({"--auto_lr_find"}).exit_code == ExitCode::usage);
}

TEST_CASE("every argument of Lightning's Trainer is a setting, an old name or refused by name") {
  // Those that belong in a runner of this kind ("CLI: Y" or "alias"): each with a value that it took.
  const std::pair<const char*, const char*> taken[] = {
      {"logger", "true"},
      {"checkpoint_callback", "true"},
      {"early_stop_callback", "false"},
      {"callbacks", "[early_stopping]"},
      {"default_root_dir", "out"},
      {"gradient_clip_val", "0.5"},
      {"progress_bar_refresh_rate", "1"},
      {"overfit_batches", "0.5"},
      {"track_grad_norm", "-1"},
      {"check_val_every_n_epoch", "2"},
      {"fast_dev_run", "true"},
      {"accumulate_grad_batches", "{0: 1, 4: 2}"},
      {"max_epochs", "10"},
      {"min_epochs", "1"},
      {"max_steps", "10"},
      {"min_steps", "1"},
      {"limit_train_batches", "0.5"},
      {"limit_val_batches", "2"},
      {"limit_test_batches", "1.0"},
      {"val_check_interval", "0.25"},
      {"log_save_interval", "100"},
      {"row_log_interval", "50"},
      {"precision", "32"},
      {"weights_summary", "top"},
      {"weights_save_path", "out"},
      {"num_sanity_val_steps", "2"},
      {"truncated_bptt_steps", "5"},
      {"profiler", "true"},
      {"deterministic", "true"},
      {"reload_dataloaders_every_epoch", "true"},
      {"terminate_on_nan", "true"},
      {"accelerator", "auto"},
      {"devices", "auto"},
      {"max_time", "00:12:00:00"},
      {"log_every_n_steps", "50"},
      {"enable_checkpointing", "true"},
      {"enable_progress_bar", "true"},
      {"enable_model_summary", "true"},
      {"gradient_clip_algorithm", "value"},
      {"reload_dataloaders_every_n_epochs", "1"},
      {"train_percent_check", "1"},
      {"val_percent_check", "1.0"},
      {"test_percent_check", "0.5"},
      {"overfit_pct", "0.1"},
      {"add_row_log_interval", "10"},
      {"default_save_path", "out"},
      {"gradient_clip", "1"},
      {"max_nb_epochs", "3"},
      {"min_nb_epochs", "1"},
      {"show_progress_bar", "true"},
      {"nb_sanity_val_steps", "5"},
      {"print_nan_grads", "true"},
  };
  for (const auto& [name, value] : taken) {
    CAPTURE(name);
    CHECK(problems_of(kModel + name + ": " + value + "\n").empty());
    CHECK(problems_of(kModel, {std::string("--") + name, value}).empty());
  }
  for (const char* name : {"resume_from_checkpoint", "use_amp", "nb_gpu_nodes", "gpus", "tpu_cores",
                           "num_nodes", "num_processes", "distributed_backend", "auto_select_gpus",
                           "num_tpu_cores", "amp_level", "amp_backend", "auto_lr_find", "log_gpu_memory",
                           "auto_scale_batch_size", "benchmark", "process_position"}) {
    CAPTURE(name);
    REQUIRE(find_old_name(name) != nullptr);
    CHECK(problems_of(kModel + name + ": 1\n") ==
          "a.yaml:2:1: " + std::string(name) + ": " + find_old_name(name)->note);
  }
}

TEST_CASE("each old name is in the table once, with something to say where it is refused") {
  std::set<std::string> seen;
  for (const OldName& old : old_names()) {
    CAPTURE(old.name);
    CHECK(seen.insert(old.name).second);
    if (old.is_refused()) CHECK_FALSE(old.note.empty());
  }
}
