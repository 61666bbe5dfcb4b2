#include "commands.hpp"
#include "config/resolve.hpp"
#include "engine/entry.hpp"
#include "engine_library.hpp"
#include "run_options.hpp"

#include <lightrun/error.hpp>

#include <CLI/CLI.hpp>

#include <memory>

namespace lightrun::app {
namespace {

int run(const CLI::App& command, const char* symbol, const RunOptions& options) {
  const auto request =
      run_request(config::resolve_words(config_words(command), own_flags()), options, command);
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
}

}  // namespace

void add_train(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* command = add_run_command(
      app, "train",
      "Train a model as config files and flags say: lightrun train CONFIG.yaml... [--setting value]...",
      options);
  command
      ->add_option(
          "--resume", options->resume,
          "Go on from a checkpoint: last or best of the newest run of that name, auto (last good one; "
          "a new run where there is none), or a file")
      ->type_name("last|best|auto|FILE");
  command
      ->add_option("--weights-only", options->weights_only,
                   "Begin a new run with the weights of a file: a checkpoint, safetensors, or torch.save's")
      ->type_name("FILE");
  command->add_flag("--new-run", options->new_run, "With --resume: go on in a new run folder");
  command->add_flag("--overwrite", options->overwrite,
                    "Put the run that run.folder holds aside, and begin a new one there");
  command->footer(
      "Every setting of the config is a flag of the same name: --trainer.max_epochs 3, or --max_epochs=3\n"
      "where the last part is unique; --callbacks.0.monitor val_acc; --callbacks+ '{type: ...}' appends.\n"
      "lightrun reference lists all settings.\n"
      "\n"
      "Exit codes: 0 done, 2 command line, 3 config, 4 plugin, 5 error while running, 6 stopped by\n"
      "terminate_on_nan, 128+n stopped by signal n.\n"
      "\n"
      "  lightrun train configs/digits.yaml\n"
      "  lightrun train configs/digits.yaml --max_epochs 2 --trainer.gradient_clip_val=0.5");
  command->final_callback([options, command, &exit_code] {
    check_start(*options);
    exit_code = run(*command, engine::kTrainSymbol, *options);
  });
}

void add_test(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* command = add_run_command(
      app, "test",
      "Measure a checkpoint on the model's test data: lightrun test CONFIG.yaml --checkpoint FILE", options);
  command->add_option("--checkpoint", options->checkpoint, "The weights to test (needed)");
  command->footer("  lightrun test configs/digits.yaml --checkpoint runs/digits/0/checkpoints/best.ckpt");
  command->final_callback([options, command, &exit_code] {
    if (!options->checkpoint)
      throw UsageError("lightrun test: --checkpoint FILE is missing: the weights to test");
    exit_code = run(*command, engine::kTestSymbol, *options);
  });
}

}  // namespace lightrun::app
