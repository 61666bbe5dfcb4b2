#include "config/block.hpp"
#include "config/fields.hpp"

namespace lightrun::config {

namespace {

Field better(Mode& mode) {
  return setting("mode", mode, choice<Mode>({{"min", Mode::min}, {"max", Mode::max}}),
                 "Whether less or more is better");
}

}  // namespace

Block describe(ModelCheckpointSpec& checkpoint) {
  return {
      .type = "model_checkpoint",
      .help =
          "Writes last.ckpt and, whenever the metric is better than ever before, best.ckpt; there with its "
          "defaults unless trainer.enable_checkpointing is false",
      .fields = {setting("monitor", checkpoint.monitor, text(), "Metric that says when the model is best"),
                 better(checkpoint.mode)}};
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

}  // namespace lightrun::config
