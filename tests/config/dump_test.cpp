#include "config/dump.hpp"

#include "config/configs.hpp"
#include "config/yaml_writer.hpp"
#include "support/catch.hpp"

using namespace lightrun::config;
using namespace lightrun::tests;

namespace {

/// The dump of a config, after seeing that it reads back and dumps to the same bytes.
std::string dump_of(const std::string& yaml, const std::vector<std::string>& flags = {}) {
  const std::string first = dump(spec_of(yaml, flags));
  const std::string second = dump(spec_of(first));
  CHECK(second == first);
  return first;
}

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

}  // namespace

TEST_CASE("H36: the dump has every setting in its section and reads back") {
  CHECK(dump_of(kModel) == R"(seed: 0
run:
  dir: runs
  name: a
  folder: null
  checkpoint_dir: null
trainer:
  max_epochs: 1000
  min_epochs: null
  max_steps: null
  min_steps: null
  max_time: null
  accumulate_grad_batches: 1
  accumulation_divisor: window
  gradient_clip_val: 0.0
  gradient_clip_algorithm: norm
  track_grad_norm: null
  truncated_bptt_steps: null
  terminate_on_nan: false
  on_nonfinite: null
  print_nan_grads: false
  limit_train_batches: 1.0
  limit_val_batches: 1.0
  limit_test_batches: 1.0
  limit_predict_batches: 1.0
  overfit_batches: 0
  reload_dataloaders_every_n_epochs: 0
  val_check_interval: 1.0
  check_val_every_n_epoch: 1
  num_sanity_val_steps: 2
  fast_dev_run: 0
  log_every_n_steps: 50
  log_save_interval: 100
  progress_bar_refresh_rate: 1
  enable_progress_bar: true
  enable_model_summary: true
  enable_checkpointing: true
  on_save_error: stop
  profiler: null
  precision: 32
  deterministic: false
  flat_parameters: auto
  accelerator: auto
  devices: [cpu]
model:
  plugin: m
  name: null
  params: {}
data:
  batch_size: 32
  shuffle: true
  drop_last: false
  workers: 0
  prefetch: 2
  train: null
  val: null
  test: null
  predict: null
  normalize: null
optimizer: null
scheduler: null
callbacks: []
loggers:
  - type: csv
    file: metrics.csv
)");
}

TEST_CASE("H36: numbers, strings and null stay what they are") {
  const auto text = dump_of(
      "model: {plugin: m, params: {a: \"yes\", b: \"010\", c: null, d: \"1.0\", e: 1.0, f: yes, g: \"null\", "
      "h: ''}}\n"
      "optimizer: {type: sgd}\n",
      {"--trainer.gradient_clip_val", "0.1", "--optimizer.lr", "1e-3"});
  for (const char* line :
       {"  gradient_clip_val: 0.1", "  lr: 0.001", "    a: \"yes\"", "    b: \"010\"", "    c: null",
        "    d: \"1.0\"", "    e: 1.0", "    f: yes", "    g: \"null\"", "    h: \"\""}) {
    CAPTURE(line);
    CHECK(has_line(text, line));
  }
}

TEST_CASE("the dump of every kind of block reads back") {
  for (const char* type : {"sgd", "adam", "adamw", "rmsprop", "adagrad", "lbfgs"})
    dump_of(kModel + "optimizer: " + type + "\n");
  for (const char* type : {"step", "exponential", "cosine", "cosine_restarts", "linear", "polynomial",
                           "one_cycle", "constant", "reduce_on_plateau"})
    dump_of(kModel + "scheduler: " + type + "\n");
  dump_of(kModel + "loggers: [jsonl, {type: tensorboard, log_dir: a/b, gradient_histograms: 5}]\n");
  const auto text = dump_of(
      kModel +
      "scheduler: {type: multi_step, milestones: [3, 5], interval: step}\n"
      "callbacks: [early_stopping, {type: model_checkpoint, monitor: acc, mode: max}]\nloggers: []\n");
  CHECK(has_line(text, "  milestones: [3, 5]"));
  CHECK(has_line(text, "  interval: step"));
  CHECK(has_line(text,
                 "  - type: model_checkpoint\n    monitor: acc\n    mode: max\n    save_top_k: 1\n"
                 "    save_last: true\n    every_n_epochs: 1\n    every_n_train_steps: null\n"
                 "    every_n_minutes: null\n    save_on_signal: true\n    save_on_exception: true\n"
                 "    filename: null"));
  CHECK(has_line(text, "loggers: []"));
}

TEST_CASE("the dump of unusual values reads back") {
  const auto text = dump_of(
      kModel +
      "trainer: {accumulate_grad_batches: {0: 1, 4: 2}, limit_train_batches: 0.29, limit_val_batches: 1,\n"
      "  max_steps: 7, devices: [cuda:3], fast_dev_run: true, gradient_clip_val: 1e-8}\n"
      "seed: 9223372036854775807\nrun: {name: \"y\xC3\xA9s: #1\", dir: ../x y}\n");
  CHECK(has_line(text, "  accumulate_grad_batches:\n    0: 1\n    4: 2"));
  CHECK(has_line(text, "  limit_train_batches: 0.29"));
  CHECK(has_line(text, "  limit_val_batches: 1"));
  CHECK(has_line(text, "  devices: [cuda:3]"));
  CHECK(has_line(text, "  gradient_clip_val: 1.0e-08"));
  CHECK(has_line(text, "seed: 9223372036854775807"));
  CHECK(has_line(text, "  name: \"y\xC3\xA9s: #1\""));
  CHECK(has_line(text, "  dir: \"../x y\""));
}

TEST_CASE("nested parameters of a model read back, whatever they hold") {
  const auto spec = spec_of(
      "model:\n  plugin: m\n  params:\n    list: [1, {a: [x, [y, []]]}, [], {}]\n    text: |\n      two\n    "
      "  lines\n"
      "    odd: \"tab\\t quote\\\" back\\\\ bell\\a nel\\u0085 ls\\L bom\\uFEFF\"\n    \"key: odd\": 1\n    "
      "'': "
      "2\n    \"null\": 3\n"
      "    dash: '- x'\n    dots: '...'\n    env: $${env:X}\n    colon: 'a:'\n    hash: 'a #b'\n    minus: "
      "\"-\"\n");
  const std::string text = dump(spec);
  const auto again = spec_of(text);
  CHECK(print_flow(again.model.params) == print_flow(spec.model.params));
  CHECK(dump(again) == text);
  CHECK(again.model.params.find("text")->text == "two\nlines\n");
  CHECK(again.model.params.find("odd")->text ==
        "tab\t quote\" back\\ bell\a nel\xC2\x85 ls\xE2\x80\xA8 bom\xEF\xBB\xBF");
  CHECK(again.model.params.find("env")->text == "${env:X}");
  CHECK(again.model.params.find("key: odd")->text == "1");
  CHECK(again.model.params.find("null")->text == "3");
}

TEST_CASE("a file name that is a number or a word of YAML reads back as that name") {
  for (const char* name : {"010", "yes", "null", "1.0", "true", "~", "-", "---", "a: b", "0x1f"}) {
    CAPTURE(name);
    const std::string first = dump(spec_of(kModel + "run: {name: \"" + name + "\"}\n"));
    CHECK(spec_of(first).run.name == name);
  }
}
