#include "support/run_header.hpp"

#include "support/catch.hpp"
#include "support/elide.hpp"

using namespace lightrun::support;
using lightrun::RunInfo;

namespace {

RunInfo digits() {
  return {.run_dir = "runs/digits/3",
          .model_name = "digits_mlp",
          .plugin_path = "plugins/digits.so",
          .devices = {"cpu"},
          .seed = 7,
          .train_samples = 1257,
          .val_samples = 270,
          .batch_size = 64,
          .train_batches = 20,
          .train_batches_available = 20,
          .val_batches = 5,
          .val_batches_available = 5,
          .sanity_batches = 2,
          .max_epochs = 10,
          .max_steps = std::nullopt,
          .total_steps = 200,
          .total_batches = 200};
}

ModelSize small_model() {
  return {.rows = {{"fc1.weight", {32, 64}, 2048, true}, {"fc1.bias", {32}, 32, true}},
          .count = 2080,
          .trainable_count = 2080,
          .bytes = 8320};
}

/// The header's line called `label`, without it.
std::string fact(const RunInfo& info, const std::string& label, const ModelSize& model = small_model()) {
  for (const std::string& line : run_header(info, model))
    if (line.starts_with(label + " ")) return line.substr(12);
  return "no such line";
}

}  // namespace

TEST_CASE("the header tells what is about to run") {
  CHECK(run_header(digits(), small_model()) ==
        std::vector<std::string>{
            "model       digits_mlp  (plugins/digits.so)", "parameters  2,080 (8.1 KiB)",
            "device      cpu, seed 7", "training    1,257 samples, batch size 64, 20 batches",
            "validation  270 samples, 5 batches", "steps       20 batches x 10 epochs = 200 steps",
            "run folder  runs/digits/3"});
}

TEST_CASE("the header shows what a limit came to") {
  RunInfo info = digits();
  info.train_batches = 29;
  info.train_batches_available = 100;
  info.val_batches_available = 9;
  info.limited_by = "limit_train_batches";
  CHECK(fact(info, "training") == "1,257 samples, batch size 64, 29 of 100 batches (limit_train_batches)");
  CHECK(fact(info, "validation") == "270 samples, 5 of 9 batches (limit_val_batches)");
  info.limited_by = "fast_dev_run";
  CHECK(fact(info, "training") == "1,257 samples, batch size 64, 29 of 100 batches (fast_dev_run)");
  CHECK(fact(info, "validation") == "270 samples, 5 of 9 batches (fast_dev_run)");
  info.val_batches = 0;
  CHECK(fact(info, "validation") == "none");
}

TEST_CASE("the header shows where validations fall, and the optimizers") {
  RunInfo info = digits();
  info.val_check_batches = 7;
  info.optimizers = {"Adam, lr 0.001"};
  CHECK(fact(info, "validation") == "270 samples, 5 batches, every 7 batches");
  CHECK(fact(info, "optimizer") == "Adam, lr 0.001");
}

TEST_CASE("a run without end says so") {
  RunInfo info = digits();
  info.max_epochs.reset();
  info.total_steps.reset();
  info.total_batches.reset();
  CHECK(fact(info, "steps") == "no end of epochs of 20 batches");
}

TEST_CASE("the header explains steps that are not batches times epochs") {
  RunInfo info = digits();
  info.accumulate_grad_batches = 4;
  info.total_steps = 50;
  CHECK(fact(info, "steps") == "50 steps: 10 epochs of 20 batches, one every 4 batches");

  info = digits();
  info.max_epochs = 1000;
  info.max_steps = 50;
  info.total_steps = info.total_batches = 50;
  CHECK(fact(info, "steps") == "50 steps: 3 epochs of 20 batches, max_steps 50");
  CHECK(planned_epochs(info) == 3);
}

TEST_CASE("the header of a stream says what is known") {
  RunInfo info;
  info.model_name = "lm";
  info.devices = {"cuda:0", "cuda:1"};
  info.max_epochs = 2;
  info.max_steps = 500;
  CHECK(fact(info, "model") == "lm");
  CHECK(fact(info, "devices") == "cuda:0, cuda:1, seed 0");
  CHECK(fact(info, "training") == "a stream");
  CHECK(fact(info, "steps") == "up to 2 epochs, max_steps 500");
  CHECK(fact(info, "run folder") == "none, nothing is written");
}

TEST_CASE("the header counts frozen parameters apart") {
  ModelSize model = small_model();
  model.trainable_count = 32;
  CHECK(fact(digits(), "parameters", model) == "2,080 (8.1 KiB), 32 trainable");
}

TEST_CASE("the parameter table shows each parameter, and how many more there are") {
  ModelSize model = small_model();
  model.rows[1].trainable = false;
  CHECK(parameter_table(model, 20) ==
        std::vector<std::string>{"parameter   shape     count  trainable", "fc1.weight  [32, 64]  2,048  yes",
                                 "fc1.bias    [32]         32  no", "total                 2,080"});
  for (int i = 0; i < 3; ++i) model.rows.push_back({std::string(1, static_cast<char>('a' + i)), {}, 1, true});
  const auto lines = parameter_table(model, 2);
  REQUIRE(lines.size() == 5);
  CHECK(lines[3] == "... and 3 more");
  CHECK(parameter_table(model, 4).size() == 7);
}

TEST_CASE("on a narrow screen nothing of the header and the table is too long") {
  ModelSize model = small_model();
  model.rows.push_back({"encoder.layers.11.attention.output.weight", {1024, 1024}, 1048576, true});
  RunInfo info = digits();
  info.resumed_from = "runs/digits/2/checkpoints/epoch=3-val_loss=0.25.ckpt";
  for (const int width : {1, 9, 19, 39, 79}) {
    INFO(width);
    auto lines = run_header(info, model, Style(true), width);
    for (std::string& row : parameter_table(model, 20, Style(true), width)) lines.push_back(std::move(row));
    for (const std::string& line : lines) {
      INFO(line);
      CHECK(display_width(line) <= static_cast<std::size_t>(width));
    }
  }
  const auto lines = run_header(digits(), small_model(), Style(), 39);
  CHECK(lines[4] == "training    1,257 samples, batch size");
  CHECK(lines[5] == "            64, 20 batches");
}

TEST_CASE("colours are there only when allowed") {
  CHECK(run_header(digits(), small_model(), Style(true)).front() ==
        "\x1b[2mmodel       \x1b[0m\x1b[1mdigits_mlp  (plugins/digits.so)\x1b[0m");
}
