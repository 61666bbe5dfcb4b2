#include "config/accumulation.hpp"
#include "config/block.hpp"
#include "config/decimal.hpp"
#include "config/devices.hpp"
#include "config/duration.hpp"
#include "config/fields.hpp"

namespace lightrun::config {

namespace {

using Fields = std::vector<Field>;

/// true is one batch.
Codec<int64_t> bool_or_count() {
  auto codec = whole(at_least(0));
  codec.type = "true, false or a number of batches";
  codec.takes_true = true;
  codec.read = [count = codec.read, type = codec.type](const Value& value, const Report& report) {
    const bool scalar = value.kind == Value::Kind::scalar && !value.quoted;
    if (const auto flag = scalar ? parse_bool(value.text).value : std::nullopt)
      return std::optional<int64_t>(*flag);
    if (scalar && parse_decimal(value.text)) return count(value, report);
    report(value.mark, expected(type, value));
    return std::optional<int64_t>();
  };
  return codec;
}

/// true is `simple`, false and null are none.
Codec<Profiler> profiler() {
  auto codec = choice<Profiler>({{"simple", Profiler::simple}, {"chrome", Profiler::chrome}});
  codec.type = "simple, chrome or null";
  codec.schema = R"({"enum":["simple","chrome",true,false,null]})";
  codec.takes_true = true;
  codec.read = [](const Value& value, const Report& report) {
    if (value.kind == Value::Kind::null) return std::optional(Profiler::none);
    if (value.text == "simple") return std::optional(Profiler::simple);
    if (value.text == "chrome") return std::optional(Profiler::chrome);
    if (const auto flag = parse_bool(value.text).value; flag && !value.quoted) {
      return std::optional(*flag ? Profiler::simple : Profiler::none);
    }
    report(value.mark, expected_word({"simple", "chrome", "null"}, value));
    return std::optional<Profiler>();
  };
  codec.write = [write = codec.write](const Profiler& kind) {
    return kind == Profiler::none ? Value::null() : write(kind);
  };
  return codec;
}

/// auto, true or false.
Codec<FlatParameters> flat_parameters() {
  auto codec = choice<FlatParameters>({{"auto", FlatParameters::automatic},
                                       {"true", FlatParameters::always},
                                       {"false", FlatParameters::never}});
  codec.schema = R"({"enum":["auto",true,false]})";
  codec.takes_true = true;
  codec.write = [](const FlatParameters& wish) {
    if (wish == FlatParameters::automatic) return Value::string("auto");
    return Value::plain(wish == FlatParameters::always ? "true" : "false");
  };
  return codec;
}

Fields length_of_the_run(TrainerSpec& t) {
  return {
      setting("max_epochs", t.max_epochs, whole(at_least(-1)), "Stop after this many epochs; -1: no limit"),
      setting("min_epochs", t.min_epochs, or_null(whole(at_least(1))),
              "Early stopping waits until this many epochs are done; null: it does not wait"),
      setting("max_steps", t.max_steps, or_null(whole(at_least(1))),
              "Stop after this many optimizer steps, also in the middle of an epoch; null: no limit"),
      setting("min_steps", t.min_steps, or_null(whole(at_least(1))),
              "Early stopping waits until this many optimizer steps are done; null: it does not wait"),
      setting("max_time", t.max_time, or_null(duration()),
              "Stop after the first batch that ends later than this, but not before min_epochs and "
              "min_steps; a number is seconds; null: no limit")};
}

Fields steps(TrainerSpec& t) {
  using Divisor = AccumulationDivisor;
  using Clip = ClipAlgorithm;
  return {
      setting(
          "accumulate_grad_batches", t.accumulate_grad_batches, accumulation(),
          "Batches whose gradients make one optimizer step; a map says from which epoch on: {0: 1, 5: 4}"),
      setting("accumulation_divisor", t.accumulation_divisor,
              choice<Divisor>({{"window", Divisor::window}, {"fixed", Divisor::fixed}}),
              "Where an epoch ends with fewer batches: window divides by their number, fixed by "
              "accumulate_grad_batches"),
      setting("gradient_clip_val", t.gradient_clip_val, null_is(0.0, number(at_least(0))),
              "Largest gradient that an optimizer step sees; 0 or null: no clipping"),
      setting("gradient_clip_algorithm", t.gradient_clip_algorithm,
              choice<Clip>({{"norm", Clip::norm}, {"value", Clip::value}}),
              "norm scales all gradients of an optimizer down together, value cuts each entry"),
      setting("track_grad_norm", t.track_grad_norm, norm_order(),
              "Log the norm of this order of all gradients together and of each parameter's, before "
              "clipping; inf: the largest entry; null: off"),
      setting("truncated_bptt_steps", t.truncated_bptt_steps, or_null(whole(at_least(1))),
              "Time steps in a split of a sequence; each split has its own optimizer step; null: whole "
              "sequences")};
}

Fields nonfinite(TrainerSpec& t) {
  return {setting("terminate_on_nan", t.terminate_on_nan, boolean(),
                  "Stop, with exit code 6, before a step with a loss, gradient or parameter that is not "
                  "finite; the same as on_nonfinite: stop"),
          setting("on_nonfinite", t.on_nonfinite,
                  or_null(choice<OnNonfinite>({{"stop", OnNonfinite::stop}, {"skip", OnNonfinite::skip}})),
                  "What to do about a loss or gradient that is not finite: stop before the step, or skip the "
                  "batch or step; null: go on, with one warning about a loss and one about weights that are "
                  "saved, and leave out a step that clipping would spoil"),
          setting("print_nan_grads", t.print_nan_grads, boolean(),
                  "Name every parameter whose gradient is not finite, not only the first")};
}

Fields data(TrainerSpec& t) {
  return {
      setting("limit_train_batches", t.limit_train_batches, limit(),
              "Training batches in an epoch: 1 is one batch, 1.0 is all, 0.1 a tenth"),
      setting("limit_val_batches", t.limit_val_batches, limit(),
              "Batches in a validation: 1 is one batch, 1.0 is all; 0: no validation"),
      setting("limit_test_batches", t.limit_test_batches, limit(),
              "Batches that lightrun test takes: 1 is one batch, 1.0 is all"),
      setting("limit_predict_batches", t.limit_predict_batches, limit(),
              "Batches that lightrun predict takes: 1 is one batch, 1.0 is all"),
      setting("overfit_batches", t.overfit_batches, limit(),
              "Train and validate on the same first training batches, not shuffled; a fraction is one of the "
              "training batches; 0: off"),
      setting("reload_dataloaders_every_n_epochs", t.reload_dataloaders_every_n_epochs, whole(at_least(0)),
              "Ask the model for its data again every so many epochs; 0: only at the start")};
}

Fields validation(TrainerSpec& t) {
  return {setting("val_check_interval", t.val_check_interval, interval(),
                  "Validate after every so many training batches of an epoch, or after a fraction of the "
                  "epoch; 1.0: at its end"),
          setting("check_val_every_n_epoch", t.check_val_every_n_epoch, or_null(whole(at_least(1))),
                  "Validate in every n-th epoch; null: val_check_interval counts batches across epochs"),
          setting("num_sanity_val_steps", t.num_sanity_val_steps, whole(at_least(-1)),
                  "Validation batches before training, to find mistakes early; 0: none, -1: all"),
          setting("fast_dev_run", t.fast_dev_run, bool_or_count(),
                  "Run this many batches of everything (true: one), to see that it works, and write nothing; "
                  "0: off")};
}

Fields output(TrainerSpec& t) {
  return {
      setting("log_every_n_steps", t.log_every_n_steps, whole(at_least(1)),
              "Optimizer steps between two rows of metrics; an epoch's last step is always logged"),
      setting("log_save_interval", t.log_save_interval, whole(at_least(1)),
              "Batches after which the loggers write what they hold back, if not earlier"),
      setting("progress_bar_refresh_rate", t.progress_bar_refresh_rate, whole(at_least(0)),
              "Batches between two drawings of the progress bar, at most ten a second; 0: no bar"),
      setting("enable_progress_bar", t.enable_progress_bar, boolean(), "Show progress on the terminal"),
      setting("enable_model_summary", t.enable_model_summary, boolean(),
              "Print the table of parameters before training"),
      setting("enable_checkpointing", t.enable_checkpointing, boolean(),
              "Keep checkpoints; false: none, not even the last"),
      setting("on_save_error", t.on_save_error,
              choice<OnSaveError>({{"stop", OnSaveError::stop}, {"retry", OnSaveError::retry}}),
              "A checkpoint that cannot be written ends the run with exit code 5; retry: warn, and try again "
              "after the next batch"),
      setting(
          "profiler", t.profiler, profiler(),
          "simple (or true): print at the end how often each part of the loop ran and how long it took; "
          "chrome: also write profile.json into the run's folder, for Perfetto, with the first 500,000 "
          "hooks and actions of the loop, and the first 500,000 operators of LibTorch up to the end of the "
          "100th training batch; a resumed run begins another file")};
}

Fields hardware(TrainerSpec& t) {
  return {
      setting("precision", t.precision,
              choice<Precision>({{"32", Precision::float32},
                                 {"64", Precision::float64},
                                 {"16", Precision::float16},
                                 {"bf16", Precision::bfloat16}}),
              "Numbers of the forward pass: 32 or 64 for everything, bf16 by autocast, 16 on GPUs only"),
      setting("deterministic", t.deterministic, boolean(),
              "Use only operations that give the same bits every time; fail where there is none"),
      setting(
          "flat_parameters", t.flat_parameters, flat_parameters(),
          "Keep the parameters of an optimizer, and their gradients, side by side in memory, for faster "
          "steps: auto where that changes nothing else; true says why where it cannot be; false for a model "
          "that keeps pointers into its parameters' memory"),
      setting("accelerator", t.accelerator,
              choice<Accelerator>({{"auto", Accelerator::any},
                                   {"cpu", Accelerator::cpu},
                                   {"cuda", Accelerator::cuda},
                                   {"gpu", Accelerator::cuda}}),
              "Kind of the devices where devices only counts them; gpu is cuda"),
      setting("devices", t.devices, devices(),
              "Where to train; in a list a number is the index of a GPU; so far one device")};
}

}  // namespace

Block describe(TrainerSpec& trainer) {
  Block block{.type = "", .help = "The training loop", .fields = {}};
  for (auto fields : {length_of_the_run, steps, nonfinite, data, validation, output, hardware}) {
    for (Field& field : fields(trainer)) block.fields.push_back(std::move(field));
  }
  return block;
}

}  // namespace lightrun::config
