#include "engine/fit_loop.hpp"

#include "engine/data.hpp"
#include "engine/end_on_exception.hpp"
#include "engine/evaluation.hpp"
#include "engine/forward_precision.hpp"
#include "engine/instant.hpp"
#include "engine/learning_rates.hpp"
#include "engine/nonfinite.hpp"
#include "engine/optimizers.hpp"
#include "engine/rows.hpp"
#include "engine/saver.hpp"
#include "engine/stopping.hpp"
#include "engine/training_batch.hpp"
#include "support/quantity.hpp"

#include <lightrun/error.hpp>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace lightrun::engine {
namespace {

using schedule::Progress;

bool validation_is_due(Run& run, const Progress& progress) {
  if (run.state.trained->validated) return false;
  if (!run.state.trained->skip_epoch) {
    return run.plan.validation_due(progress, wish_is_granted(run, progress));
  }
  const bool again = run.state.validated_at == progress.batches_seen - 1 && progress.batch_idx > 0;
  return run.plan.validates_at_end_of(progress.epoch) && !again;
}

/// False: a signal has come before its end, and a resumed run has to hold it.
bool validate_if_due(Run& run, const Progress& progress) {
  if (!validation_is_due(run, progress)) return true;
  // One that the stop has brought forward is no part of a run that goes on.
  const bool is_extra = !run.state.trained->skip_epoch && !run.plan.validation_due(progress, false);
  if (is_extra) come_to_rest(run);
  if (run.interrupted() || !validate(run, std::max<int64_t>(progress.global_step - 1, 0))) return false;
  run.state.trained->validated = true;
  return true;
}

/// Takes the batch that was trained into the run's state, and advances the schedules with it.
void count_batch(Run& run) {
  state::RunState& state = run.state;
  if (state.trained->step_done()) advance_step_schedules(run, state.trained->stepped);
  state.batches_seen = state.batches_done();
  state.global_step = state.steps_done();
  state.samples_seen += state.trained->samples;
  state.epoch_batches = state.batch_idx + (state.trained->skip_epoch ? 0 : 1);
  state.rest_skipped = state.trained->skip_epoch;
  state.trained.reset();
  run.metrics.begin_batch(MetricStore::Scope::training, 1);
}

void flush_loggers_if_due(Run& run) {
  if (run.state.batches_seen % run.spec.trainer.log_save_interval != 0) return;
  for (const auto& logger : run.loggers) logger->flush();
}

enum class Next { batch, epoch, stop };

/// Whether the epoch has no batch after the last one read. A stream is read one ahead to know.
bool epoch_is_read(Run& run) {
  const support::Wait wait(run.screen, kWaitsForData);
  return run.train_loader->at_end();
}

/// What is due after a batch that is trained.
Next follow_up(Run& run) {
  const Progress progress = progress_with_batch(run, epoch_is_read(run));
  look_at_clock(run);
  const bool is_validated = validate_if_due(run, progress);
  const bool stops = reason_to_stop(run, progress).has_value();
  if (!is_validated && !run.resting) come_to_rest(run);

  const bool step_done = run.state.trained->step_done();
  if (step_done) keep_row(run, run.state.trained->measured);
  if (progress.is_last || (step_done && run.plan.log_due(run.state.global_step, false))) log_kept_row(run);
  if (run.state.batches_seen == 0) warn_of_unknown_metrics(run);
  count_batch(run);
  flush_loggers_if_due(run);
  if (!stops) {
    serve_saves(run);
  } else if (!run.resting) {
    come_to_rest(run);
  }
  if (stops) log_kept_row(run);
  if (progress.is_last) return Next::epoch;
  return stops ? Next::stop : Next::batch;
}

/// One batch and what is due after it.
Next train_and_follow_up(Run& run, const Batch& batch) {
  run.state.batch_idx = run.state.epoch_batches;
  train_batch(run, batch, epoch_is_read(run));
  ++run.batches_here;
  const Next next = follow_up(run);
  if (run.profiler) run.profiler->count_batch();
  return next;
}

std::optional<Batch> next_batch(Run& run) {
  const Profiler::Timed timed(run.profiler.get(), "get_train_batch");
  const support::Wait wait(run.screen, kWaitsForData);
  run.bus->doing("reading the training data");
  auto batch = run.train_loader->next();
  if (batch) *batch = on_device(run, *batch);
  return batch;
}

/// For the log file: where the run is, and the latest value of every metric.
std::string epoch_text(const Run& run) {
  std::string text = fmt::format("epoch {} ended after step {}", run.state.epoch, run.state.global_step);
  for (const auto& [name, value] : run.metrics.latest())
    text += fmt::format("  {} {}", name, support::value_text(value));
  return text;
}

/// The run is resumed, and has still to go on in the epoch that its checkpoint is of.
bool is_inside_resumed_epoch(const Run& run) {
  const bool has_begun = run.state.epoch_batches > 0 || run.state.trained || run.state.rest_skipped;
  return run.resumes_from && !run.state.epoch_done && has_begun;
}

/// Goes on in the epoch that the run was resumed in. What comes next in it.
/// @param is_over the run does not go on: the epoch is ended as it was where it came to rest
Next go_on_in_epoch(Run& run, bool is_over) {
  restore_instant(run);
  if (run.plan.train_batches && run.state.epoch_batches > *run.plan.train_batches) {
    spdlog::warn("epoch {} was at batch {} and has only {} now: it ends here", run.state.epoch + 1,
                 run.state.epoch_batches, *run.plan.train_batches);
  }
  if (run.state.trained) return follow_up(run);
  if (run.state.rest_skipped) return Next::epoch;
  if (!is_over) return Next::batch;
  come_to_rest(run);
  log_kept_row(run);
  return run.train_loader->at_end() ? Next::epoch : Next::stop;
}

/// Begins an epoch, or goes on in one. What comes next in it.
Next take_up_epoch(Run& run, bool is_over) {
  const bool goes_on = is_inside_resumed_epoch(run);
  if (!goes_on) run.state.epoch_batches = 0;
  if (!goes_on) run.state.rest_skipped = false;
  run.state.epoch_done = false;
  run.bus->doing("reading the training data");
  {
    const support::Wait wait(run.screen, kWaitsForData);
    run.train_loader->start_epoch(run.state.epoch, run.plan.train_batches,
                                  run.state.epoch_batches + (run.state.trained ? 1 : 0));
  }
  run.bus->open(Phase::epoch);
  if (goes_on) return go_on_in_epoch(run, is_over);
  log_from_hooks(run, run.state.global_step);
  return Next::batch;
}

/// Trains what is left of the epoch. Whether it comes to the epoch's end.
bool train_batches(Run& run, bool is_over) {
  const data::StopsReading stops_reading(*run.train_loader);
  Next next = take_up_epoch(run, is_over);
  while (next == Next::batch) {
    const auto batch = next_batch(run);
    if (!batch) break;
    next = train_and_follow_up(run, *batch);
  }
  if (run.state.epoch_batches == 0 && next == Next::batch)
    throw RunError("the training data has no batch in epoch " + std::to_string(run.state.epoch));
  // A resumed epoch may have become shorter than it was.
  if (next == Next::batch && run.state.window.batches > 0) {
    close_window(run);
    next = follow_up(run);
  }
  return next != Next::stop;
}

void train_epoch(Run& run, bool is_over) {
  const bool is_whole = train_batches(run, is_over);
  run.epoch_is_cut_short = !is_whole;
  Metrics row = run.metrics.end_epoch(MetricStore::Scope::training);
  run.metrics.begin_batch(MetricStore::Scope::training, 1);  // what the ending hooks log
  run.bus->emit(Event::training_epoch_end);
  row.merge(run.metrics.end_epoch(MetricStore::Scope::training));
  run.bus->close(Phase::epoch);
  log_from_hooks(run, last_step(run), std::move(row));
  spdlog::info("{}", epoch_text(run));
  // A run that ends on max_steps does not advance them any more, as in Lightning 0.9.
  if (is_whole && !run.plan.max_steps_reached(run.state.global_step)) advance_epoch_schedules(run);
  run.state.epoch_done = is_whole;
  serve_saves(run);
}

/// Why the run does not go on, between epochs.
std::optional<std::string> reason_between_epochs(Run& run) {
  look_at_clock(run);
  return reason_to_stop(run, progress_between_epochs(run));
}

/// The epochs, and why they ended. One that the run was resumed in is ended also where nothing is left to do.
std::string train_epochs(Run& run) {
  auto reason = reason_between_epochs(run);
  while (!reason || is_inside_resumed_epoch(run)) {
    const int64_t epoch = run.state.epoch + (run.state.epoch_done ? 1 : 0);
    if (epoch >= run.plan.max_epochs && !is_inside_resumed_epoch(run)) break;
    if (run.resumes_from && run.state.epoch_done) restore_instant(run);
    run.state.epoch = epoch;
    reload_data_if_due(run);
    train_epoch(run, reason.has_value() || epoch >= run.plan.max_epochs);
    reason = reason_between_epochs(run);
  }
  if (run.resumes_from) restore_instant(run);  // of a run that was complete
  if (!run.resting) come_to_rest(run);
  return reason.value_or("max_epochs " + std::to_string(run.plan.max_epochs) + " reached");
}

void train(Run& run) {
  run.stage = Stage::training;
  run.started = std::chrono::steady_clock::now();
  run.metrics.begin_batch(MetricStore::Scope::training, 1);
  run.bus->open(Phase::train);
  if (!run.resumes_from) log_from_hooks(run, run.state.global_step);
  const int64_t validations_before = run.state.validations;
  const std::string reason = train_epochs(run);
  const bool did_nothing = run.batches_here == 0 && run.state.validations == validations_before;
  const bool was_complete = !run.resumed_path.empty() && did_nothing && !run.interrupted();
  run.stop_reason = was_complete ? "already complete: " + reason : reason;
  if (was_complete && run.spec.trainer.fast_dev_run > 0) {
    spdlog::warn(
        "fast_dev_run has tried nothing: {} is past its {} already; without --resume it tries them from the "
        "start",
        run.resumed_path, support::counted(run.spec.trainer.fast_dev_run, "batch", "batches"));
  }
  if (run.interrupted()) run.bus->emit(Event::on_keyboard_interrupt);
  check_weights(run);
  if (run.state.batches_seen > 0 && run.state.global_step == 0) {
    spdlog::warn("no optimizer step was done: every one of {} batches was left out", run.state.batches_seen);
  }
  run.stage = Stage::ending;
  run.bus->close(Phase::train);
  log_from_hooks(run, last_step(run));
  serve_saves(run);
  finish_saves(run);
}

void run_hooks_in_order(Run& run) {
  run.bus->open(Phase::fit);
  configure_optimizers(run);
  run.bus->open(Phase::pretrain);
  if (run.resumes_from) restore(run);
  check_sanity(run);
  run.bus->close(Phase::pretrain);
  train(run);
  run.bus->close(Phase::fit);
  log_from_hooks(run, last_step(run));
}

/// What must not be lost, after an exception.
void keep_what_there_is(Run& run) noexcept {
  if (run.state.trained)
    run.between_cuts = false;
  else
    run.metrics.forget_batch();
  save_last_good(run);
  try {
    if (run.state.trained) count_batch(run);
    log_kept_row(run);
  } catch (...) {
    spdlog::error("the last step's metrics could not be logged: {}", describe(std::current_exception()));
  }
}

}  // namespace

void fit(Run& run) {
  ended_on_exception(
      run, [&] { run_hooks_in_order(run); }, [&] { keep_what_there_is(run); });
}

}  // namespace lightrun::engine
