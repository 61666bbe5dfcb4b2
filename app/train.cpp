#include "commands.hpp"
#include "config/resolve.hpp"
#include "engine/entry.hpp"
#include "engine_library.hpp"
#include "help.hpp"
#include "run_options.hpp"

#include <lightrun/error.hpp>

#include <CLI/CLI.hpp>

#include <memory>

namespace lightrun::app {
namespace {

int run(const CLI::App& command, const char* symbol, const RunOptions& options) {
  const auto request =
      run_request(config::resolve_words(config_words(command), own_flags(command)), options, command);
  return call_engine<engine::RunFunction>(symbol, request);
}

void check_start(const RunOptions& options) {
  if (options.resume && options.weights_only)
    throw UsageError(
        "lightrun train: --resume goes on with a run, --weights-only begins a new one: give one of them");
  if (options.overwrite && options.resume)
    throw UsageError(
        "lightrun train: --resume goes on with a run, --overwrite puts it aside: give one of them");
  if (options.new_run && !options.resume)
    throw UsageError("lightrun train: --new-run goes with --resume; without it every run is a new one");
  if (!options.strip_prefix.empty() && !options.weights_only)
    throw UsageError("lightrun train: --strip-prefix goes with --weights-only FILE");
}

void add_checkpoint(CLI::App& command, RunOptions& options) {
  command
      .add_option("--checkpoint", options.checkpoint,
                  "The weights to take: a checkpoint, or any file of them")
      ->required()
      ->type_name("FILE");
}

}  // namespace

void add_train(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* command = add_run_command(app, "train", "Train a model as configs and flags say", options);
  add_quiet(*command, *options);
  command
      ->add_option("--resume", options->resume, "Go on with a run: last, best, auto (or begin one), a file")
      ->type_name("WHICH");
  command->add_flag("--new-run", options->new_run, "With --resume: go on in a new run folder");
  command->add_flag("--overwrite", options->overwrite, "Put the run in run.folder aside, begin one there");
  command->add_option("--weights-only", options->weights_only, "Begin a new run with the weights in a file")
      ->type_name("FILE");
  add_strip_prefix(*command, *options);
  add_trace(*command, *options);
  end_help(*command,
           "Every setting is a flag: --trainer.max_epochs 3, or --max_epochs 3 where no other is called so; "
           "lightrun reference lists them.",
           {"lightrun train configs/digits.yaml",
            "lightrun train configs/digits.yaml --max_epochs 2 --optimizer.lr 1e-3",
            "lightrun train configs/digits.yaml --resume last --max_epochs 60"});
  command->final_callback([options, command, &exit_code] {
    check_start(*options);
    exit_code = run(*command, engine::kTrainSymbol, *options);
  });
}

void add_test(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* command = add_run_command(app, "test", "Measure a checkpoint on the model's test data", options);
  add_checkpoint(*command, *options);
  add_quiet(*command, *options);
  add_strip_prefix(*command, *options);
  add_trace(*command, *options);
  end_help(*command, "Settings are flags, as of lightrun train.",
           {"lightrun test configs/digits.yaml --checkpoint digits.safetensors",
            "lightrun test configs/digits.yaml --limit_test_batches 4 \\",
            "    --checkpoint runs/digits/0/checkpoints/best.ckpt"});
  command->final_callback(
      [options, command, &exit_code] { exit_code = run(*command, engine::kTestSymbol, *options); });
}

void add_predict(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* command =
      add_run_command(app, "predict", "Write what a checkpoint's model predicts to a file", options);
  add_checkpoint(*command, *options);
  command->add_option("--out", options->out, "What to write: .csv, .npy, .safetensors, .txt, or FOLDER/")
      ->required()
      ->type_name("FILE");
  command->add_option("--field", options->field, "Write only this field of what is predicted")
      ->type_name("NAME");
  command->add_flag("--overwrite", options->overwrite, "Replace a file that is there already");
  add_quiet(*command, *options);
  add_strip_prefix(*command, *options);
  add_trace(*command, *options);
  end_help(*command, "Settings are flags, as of lightrun train.",
           {"lightrun predict configs/digits.yaml --out digits.csv \\",
            "    --checkpoint runs/digits/0/checkpoints/best.ckpt"});
  command->final_callback(
      [options, command, &exit_code] { exit_code = run(*command, engine::kPredictSymbol, *options); });
}

}  // namespace lightrun::app
