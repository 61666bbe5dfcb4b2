#include "config/accumulation.hpp"
#include "config/block.hpp"
#include "config/checkpoint_name.hpp"
#include "config/duration.hpp"
#include "config/fields.hpp"
#include "config/pattern.hpp"

namespace lightrun::config {

namespace {

Field better(Mode& mode) {
  return setting("mode", mode, choice<Mode>({{"min", Mode::min}, {"max", Mode::max}}),
                 "Whether less or more is better");
}

Field steps_or_epochs(const std::string& name, Interval& interval, const std::string& help) {
  return setting(name, interval, choice<Interval>({{"step", Interval::step}, {"epoch", Interval::epoch}}),
                 help);
}

constexpr const char* kNames =
    "Their names, without .ckpt, from {epoch}, {step} (optimizer steps done, one more than the step of the "
    "metrics' row) and metrics, with formats as in {val_loss:.3f}: "
    "[width][.precision][d|f|e|g]; null: best where save_top_k is 1 and there is a monitor, else "
    "{epoch}-{step}";

/// When it saves.
std::vector<Field> saving(ModelCheckpointSpec& checkpoint) {
  return {
      setting("save_last", checkpoint.save_last, boolean(), "Keep last.ckpt up to date"),
      setting("every_n_epochs", checkpoint.every_n_epochs, whole(at_least(0)),
              "Write last.ckpt and look at the metric at the end of every n-th epoch; 0: not at epochs"),
      setting("every_n_train_steps", checkpoint.every_n_train_steps, or_null(whole(at_least(1))),
              "Write last.ckpt after every n-th optimizer step, too; without a monitor, one of the newest "
              "as well"),
      setting("every_n_minutes", checkpoint.every_n_minutes, or_null(number(above(0))),
              "The same after so many minutes"),
      setting("save_on_signal", checkpoint.save_on_signal, boolean(),
              "Write last.ckpt when a signal ends the run"),
      setting("save_on_exception", checkpoint.save_on_exception, boolean(),
              "Write last.ckpt when an error ends the run")};
}

}  // namespace

Block describe(ModelCheckpointSpec& checkpoint) {
  Block block{.type = "model_checkpoint",
              .help =
                  "Keeps the best checkpoints, and last.ckpt, from which the run can go on; there with its "
                  "defaults unless trainer.enable_checkpointing is false",
              .fields = {setting("monitor", checkpoint.monitor, or_null(text()),
                                 "Metric that says which checkpoints are best; null: the newest are"),
                         better(checkpoint.mode),
                         setting("save_top_k", checkpoint.save_top_k, whole(at_least(-1)),
                                 "How many of the best to keep; 0: none, -1: all")}};
  for (Field& field : saving(checkpoint)) block.fields.push_back(std::move(field));
  block.fields.push_back(setting("filename", checkpoint.filename, or_null(checkpoint_name()), kNames));
  return block;
}

Block describe(EarlyStoppingSpec& stopping) {
  return {.type = "early_stopping",
          .help = "Stops when a metric no longer becomes better",
          .fields = {setting("monitor", stopping.monitor, text(), "Metric to watch"), better(stopping.mode),
                     setting("patience", stopping.patience, whole(at_least(0)),
                             "Stop after this many validations in a row without a better value"),
                     setting("min_delta", stopping.min_delta, number(at_least(0)),
                             "A value is better only if it is so by more than this"),
                     setting("strict", stopping.strict, boolean(),
                             "A metric that is not there is an error; false: it is not looked at"),
                     setting("check_finite", stopping.check_finite, boolean(),
                             "Stop at once when the metric is not finite"),
                     setting("stopping_threshold", stopping.stopping_threshold, or_null(number(any())),
                             "Stop at once when the metric is better than this"),
                     setting("divergence_threshold", stopping.divergence_threshold, or_null(number(any())),
                             "Stop at once when the metric is worse than this")}};
}

Block describe(LrMonitorSpec& monitor) {
  return {
      .type = "lr_monitor",
      .help =
          "Logs the learning rate of every parameter group: lr (lr_0, lr_1 of several optimizers) is the "
          "first group's, lr/0, lr/1 (lr_0/0) are those of several",
      .fields = {steps_or_epochs("logging_interval", monitor.logging_interval,
                                 "In the row of every step that is logged, or at the start of every epoch")}};
}

Block describe(AccumulationSchedulerSpec& scheduler) {
  return {.type = "gradient_accumulation_scheduler",
          .help = "The same as trainer.accumulate_grad_batches, which is then left out",
          .fields = {required("scheduling", scheduler.scheduling, accumulation(),
                              "Batches that an optimizer step gathers, from which epoch on: {0: 1, 5: 4}")}};
}

Block describe(TimerSpec& timer) {
  return {.type = "timer",
          .help =
              "Stops the run after a time of training and validation, and says in the log how long it took; "
              "a resumed run goes on counting",
          .fields = {required("duration", timer.duration, duration(), "How long"),
                     steps_or_epochs("interval", timer.interval,
                                     "Look at the clock after every batch, or at the end of every epoch")}};
}

Block describe(FreezeSpec& freeze) {
  return {.type = "freeze",
          .help =
              "Parameters that are not trained (requires_grad is false), for a while or for good; a batch "
              "norm whose parameters are all frozen keeps its running statistics",
          .fields = {required("params", freeze.params, pattern(),
                              "Regular expression that is found in the names of those"),
                     setting("until_epoch", freeze.until_epoch, or_null(whole(at_least(1))),
                             "The first epoch (from 0) in which they are trained; null: none is")}};
}

Block describe(EmaSpec& ema) {
  return {
      .type = "ema",
      .help =
          "An exponential moving average of parameters and floating-point buffers, which validations "
          "measure; checkpoints hold the trained weights, and the average beside them",
      .fields = {
          setting("decay", ema.decay, number(from_below(0, 1)), "Share of the average that an update keeps"),
          setting("every_n_steps", ema.every_n_steps, whole(at_least(1)),
                  "Update after every n-th optimizer step"),
          setting("start_step", ema.start_step, whole(at_least(0)),
                  "The average begins as the weights after so many optimizer steps"),
          setting("save_averaged", ema.save_averaged, boolean(),
                  "Write the average to averaged.safetensors in the run's folder at the run's end")}};
}

Block describe(SwaSpec& swa) {
  return {
      .type = "swa",
      .help =
          "Stochastic weight averaging: the mean of the weights after each of the last epochs, written to "
          "averaged.safetensors in the run's folder at the run's end, with batch norms' statistics of one "
          "more pass over the training data; the scheduler rests in these epochs",
      .fields = {
          setting("swa_epoch_start", swa.swa_epoch_start, limit(),
                  "The first of them (from 0), or where it is as a share of max_epochs"),
          required("swa_lrs", swa.swa_lrs, number(above(0)), "Learning rate in these epochs"),
          setting("annealing_epochs", swa.annealing_epochs, whole(at_least(0)),
                  "Epochs over which the rate goes there; 0: at once"),
          setting("annealing_strategy", swa.annealing_strategy,
                  choice<Anneal>({{"cos", Anneal::cos}, {"linear", Anneal::linear}}), "How it goes there")}};
}

Block describe(PluginCallbackSpec& plugin) {
  return {
      .type = "plugin",
      .help = "A callback that a plugin library offers",
      .fields = {required("name", plugin.name, text(), "Its name"),
                 free_map("params", plugin.params,
                          "Parameters of the callback, which it declares itself; unknown ones are errors")}};
}

}  // namespace lightrun::config
