#pragma once

#include "optim/flat_layout.hpp"
#include "schedule/learning_rate.hpp"
#include "state/metric_state.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lightrun::state {

/// The open accumulation window.
struct Window {
  int64_t batches = 0;            ///< gone into it so far; 0: none is open
  double divisor = 1;             ///< what each loss was divided by already
  std::vector<int64_t> gathered;  ///< of each optimizer: batches that brought it gradients
  std::vector<double>
      weights;  ///< of each optimizer: sum of the loss weights gathered; 0: its losses have none
};

/// How far one optimizer's LR schedule has come.
struct ScheduleState {
  int64_t steps = 0;          ///< of the optimizer
  int64_t count = 0;          ///< how often it has advanced
  schedule::Plateau plateau;  ///< of one that watches a metric
  int64_t metric_seen = 0;    ///< which value of that metric it has seen last, counted by the metric store
};

/// What one optimizer step has measured.
struct LoggedRow {
  int64_t step = 0;
  MetricValues values = {};
  std::vector<double> rates = {};  ///< of each optimizer
};

/// A batch that is trained and not counted yet: what is due after it (a validation) is still to come.
struct TrainedBatch {
  std::vector<bool> stepped = {};  ///< of each optimizer: an accumulation window closed with its step
  bool skip_epoch = false;         ///< a hook asked to leave out this batch and the rest of the epoch
  int64_t samples = 0;
  MetricValues measured = {};  ///< what was logged with on_step
  bool validated = false;      ///< the validation after it, if one was due, was held

  [[nodiscard]] bool step_done() const { return std::ranges::find(stepped, true) != stepped.end(); }
};

/// All that a resumed run must know beside the tensors, the generators, and what callbacks, the model and
/// loggers keep. Progress kept anywhere else is lost at a resume.
struct RunState {
  int64_t epoch = 0;          ///< the one under way, or the last one
  bool epoch_done = false;    ///< ... and its ending hooks are over
  int64_t epoch_batches = 0;  ///< batches of that epoch that are counted
  bool rest_skipped = false;  ///< the rest of that epoch is left out
  int64_t batch_idx = 0;      ///< within the epoch; outside its batches, the last one seen
  int64_t global_step = 0;    ///< optimizer windows completed
  int64_t batches_seen = 0;
  int64_t samples_seen = 0;
  Window window;
  std::vector<ScheduleState> schedules;                ///< of each optimizer
  std::optional<std::vector<optim::FlatLayout>> flat;  ///< of each; nothing: of a version that joined none
  std::optional<TrainedBatch> trained;
  std::optional<LoggedRow> kept_row;        ///< of the last step, until it is logged
  int64_t validations = 0;                  ///< completed
  std::optional<int64_t> validated_at;      ///< batches_seen, before the batch at hand, at the last one
  std::optional<std::string> wish_to_stop;  ///< of a callback, that min_epochs or min_steps holds back
  double seconds = 0;                       ///< since the start of training, over all processes
  MetricState metrics;

  /// Which instant of its run this is: a later one has a greater number.
  [[nodiscard]] int64_t instant() const { return 3 * batches_done() + (epoch_done ? 2 : trained ? 0 : 1); }

  /// Optimizer windows whose step is in the weights.
  [[nodiscard]] int64_t steps_done() const { return global_step + (trained && trained->step_done() ? 1 : 0); }
  /// Training batches that are in the weights or in an open window.
  [[nodiscard]] int64_t batches_done() const {
    return batches_seen + (trained && !trained->skip_epoch ? 1 : 0);
  }
};

/// Every field with its name, once; saving, restoring, printing and comparing go through these. `visit` is
/// called with (name, value&).
template <typename Visit>
void for_each_field(Window& window, Visit&& visit) {
  visit("batches", window.batches);
  visit("divisor", window.divisor);
  visit("gathered", window.gathered);
  visit("weights", window.weights);
}

template <typename Visit>
void for_each_field(ScheduleState& schedule, Visit&& visit) {
  visit("steps", schedule.steps);
  visit("count", schedule.count);
  visit("best", schedule.plateau.best);
  visit("bad", schedule.plateau.bad);
  visit("cooldown", schedule.plateau.cooldown);
  visit("reductions", schedule.plateau.reductions);
  visit("metric_seen", schedule.metric_seen);
}

template <typename Visit>
void for_each_field(LoggedRow& row, Visit&& visit) {
  visit("step", row.step);
  visit("values", row.values);
  visit("rates", row.rates);
}

template <typename Visit>
void for_each_field(TrainedBatch& batch, Visit&& visit) {
  visit("stepped", batch.stepped);
  visit("skip_epoch", batch.skip_epoch);
  visit("samples", batch.samples);
  visit("measured", batch.measured);
  visit("validated", batch.validated);
}

template <typename Visit>
void for_each_field(RunState& state, Visit&& visit) {
  visit("epoch", state.epoch);
  visit("epoch_done", state.epoch_done);
  visit("epoch_batches", state.epoch_batches);
  visit("rest_skipped", state.rest_skipped);
  visit("batch_idx", state.batch_idx);
  visit("global_step", state.global_step);
  visit("batches_seen", state.batches_seen);
  visit("samples_seen", state.samples_seen);
  visit("window", state.window);
  visit("schedules", state.schedules);
  visit("flat", state.flat);
  visit("trained", state.trained);
  visit("kept_row", state.kept_row);
  visit("validations", state.validations);
  visit("validated_at", state.validated_at);
  visit("wish_to_stop", state.wish_to_stop);
  visit("seconds", state.seconds);
  visit("metrics", state.metrics);
}

}  // namespace lightrun::state
