#include "config/block.hpp"
#include "config/checkpoint_name.hpp"
#include "config/fields.hpp"

namespace lightrun::config {

namespace {

Field better(Mode& mode) {
  return setting("mode", mode, choice<Mode>({{"min", Mode::min}, {"max", Mode::max}}),
                 "Whether less or more is better");
}

constexpr const char* kNames =
    "Their names, without .ckpt, from {epoch}, {step} and metrics, with formats as in {val_loss:.3f}: "
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

Block describe(PluginCallbackSpec& plugin) {
  return {
      .type = "plugin",
      .help = "A callback that a plugin library offers",
      .fields = {required("name", plugin.name, text(), "Its name"),
                 free_map("params", plugin.params,
                          "Parameters of the callback, which it declares itself; unknown ones are errors")}};
}

}  // namespace lightrun::config
