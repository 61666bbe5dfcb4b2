#include "engine/fit_loop.hpp"

#include "engine/data.hpp"
#include "engine/end_on_exception.hpp"
#include "engine/evaluation.hpp"
#include "engine/forward_precision.hpp"
#include "engine/learning_rates.hpp"
#include "engine/nonfinite.hpp"
#include "engine/optimizers.hpp"
#include "engine/rows.hpp"
#include "engine/saver.hpp"
#include "engine/training_batch.hpp"
#include "support/duration.hpp"
#include "support/quantity.hpp"

#include <lightrun/error.hpp>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <utility>

namespace lightrun::engine {
namespace {

using schedule::Progress;

/// How far the run is with a batch that is done and not counted yet. One that a hook left out is not counted.
Progress progress_with(const Run& run, const BatchOutcome& outcome, bool is_last) {
  return {.epoch = run.state.epoch,
          .batch_idx = run.state.batch_idx,
          .batches_seen = run.state.batches_seen + (outcome.skip_epoch ? 0 : 1),
          .global_step = run.state.global_step + (outcome.step_done() ? 1 : 0),
          .is_last = is_last || outcome.skip_epoch};
}

/// How far the run is between epochs.
Progress progress_between_epochs(const Run& run, int64_t epochs_done) {
  return {.epoch = epochs_done, .batches_seen = run.state.batches_seen, .global_step = run.state.global_step};
}

/// Why training ends here, if it does.
std::optional<std::string> reason_to_stop(const Run& run, const Progress& progress) {
  if (const auto signal = run.signals ? run.signals->received() : std::nullopt) {
    return std::string("interrupted by SIG") + sigabbrev_np(*signal);
  }
  if (run.requests.stop && run.plan.may_stop(progress)) return run.requests.stop;
  if (run.plan.max_steps_reached(progress.global_step)) {
    return "max_steps " + std::to_string(*run.plan.max_steps) + " reached";
  }
  return std::nullopt;
}

/// max_time is a wish to stop like any other.
void look_at_clock(Run& run) {
  const auto limit = run.spec.trainer.max_time;
  if (!limit || run.requests.stop) return;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - run.train_started;
  if (elapsed.count() < *limit) return;
  run.requests.stop = "max_time " + support::duration_text(*limit) + " reached";
}

void validate_if_due(Run& run, const Progress& progress, bool epoch_is_skipped) {
  if (run.interrupted()) return;
  const bool granted = run.requests.stop && run.plan.may_stop(progress);
  const bool again =
      epoch_is_skipped && run.validated_at == progress.batches_seen - 1 && progress.batch_idx > 0;
  const bool due = epoch_is_skipped ? run.plan.validates_at_end_of(progress.epoch) && !again
                                    : run.plan.validation_due(progress, granted);
  if (due) validate(run, std::max<int64_t>(progress.global_step - 1, 0));
}

/// Takes the batch that was trained into the run's state, and advances the schedules with it.
void count_batch(Run& run) {
  const auto outcome = std::exchange(run.uncounted, std::nullopt);
  if (outcome->step_done()) advance_step_schedules(run, outcome->stepped);
  const Progress progress = progress_with(run, *outcome, /*is_last=*/false);
  run.state.batches_seen = progress.batches_seen;
  run.state.samples_seen += outcome->samples;
  run.state.global_step = progress.global_step;
}

void flush_loggers_if_due(Run& run) {
  if (run.state.batches_seen % run.spec.trainer.log_save_interval != 0) return;
  for (const auto& logger : run.loggers) logger->flush();
}

enum class Next { batch, epoch, stop };

/// One batch and what is due after it.
Next train_and_follow_up(Run& run, const Batch& batch) {
  train_batch(run, batch, run.train_loader->at_end());
  const bool step_done = run.uncounted->step_done();
  const bool skips_epoch = run.uncounted->skip_epoch;
  const Progress progress = progress_with(run, *run.uncounted, run.train_loader->at_end());
  Metrics measured = run.metrics.step_values();  // a validation measures too
  look_at_clock(run);
  validate_if_due(run, progress, skips_epoch);

  const bool stops = reason_to_stop(run, progress).has_value();
  const bool is_due = step_done && run.plan.log_due(run.state.global_step, false);
  if (step_done) keep_row(run, std::move(measured));
  if (is_due || progress.is_last || stops) log_kept_row(run);
  if (run.state.batches_seen == 0) warn_of_unknown_metrics(run);
  count_batch(run);
  flush_loggers_if_due(run);
  serve_saves(run, Cut::after_batch);
  if (progress.is_last) return Next::epoch;
  return stops ? Next::stop : Next::batch;
}

std::optional<Batch> next_batch(Run& run) {
  const Profiler::Timed timed(run.profiler.get(), "get_train_batch");
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

/// Answers where a save is right after it.
Cut train_epoch(Run& run) {
  run.bus->doing("reading the training data");
  run.train_loader->start_epoch(run.state.epoch, run.plan.train_batches);
  Next next = Next::epoch;
  run.bus->open(Phase::epoch);
  log_from_hooks(run, run.state.global_step);
  auto batch = next_batch(run);
  if (!batch) throw RunError("the training data has no batch in epoch " + std::to_string(run.state.epoch));
  for (run.state.batch_idx = 0; batch; ++run.state.batch_idx) {
    next = train_and_follow_up(run, *batch);
    if (next != Next::batch) break;
    batch = next_batch(run);
  }
  const bool is_whole = next == Next::epoch;
  Metrics row = run.metrics.end_epoch(MetricStore::Scope::training);
  run.metrics.begin_batch(MetricStore::Scope::training, 1);  // what the ending hooks log
  run.bus->emit(Event::training_epoch_end);
  row.merge(run.metrics.end_epoch(MetricStore::Scope::training));
  run.bus->close(Phase::epoch);
  log_from_hooks(run, last_step(run), std::move(row));
  spdlog::info("{}", epoch_text(run));
  // A run that ends on max_steps does not advance them any more, as in Lightning 0.9.
  if (is_whole && !run.plan.max_steps_reached(run.state.global_step)) {
    advance_epoch_schedules(run);
  }
  const Cut cut = is_whole ? Cut::after_epoch : Cut::after_batch;
  serve_saves(run, cut);
  return cut;
}

void train(Run& run) {
  run.stage = Stage::training;
  run.train_started = std::chrono::steady_clock::now();
  run.metrics.begin_batch(MetricStore::Scope::training, 1);
  run.bus->open(Phase::train);
  log_from_hooks(run, run.state.global_step);
  Cut cut = Cut::after_epoch;
  auto reason = reason_to_stop(run, progress_between_epochs(run, run.state.epoch));
  for (int64_t epoch = run.state.epoch; epoch < run.plan.max_epochs && !reason; ++epoch) {
    run.state.epoch = epoch;
    reload_data_if_due(run);
    cut = train_epoch(run);
    look_at_clock(run);
    reason = reason_to_stop(run, progress_between_epochs(run, epoch + 1));
  }
  run.stop_reason = reason.value_or("max_epochs " + std::to_string(run.plan.max_epochs) + " reached");
  if (run.interrupted()) run.bus->emit(Event::on_keyboard_interrupt);
  check_weights(run);
  if (run.state.batches_seen > 0 && run.state.global_step == 0) {
    spdlog::warn("no optimizer step was done: every one of {} batches was left out", run.state.batches_seen);
  }
  run.stage = Stage::ending;
  run.bus->close(Phase::train);
  log_from_hooks(run, last_step(run));
  serve_saves(run, cut);
}

void run_hooks_in_order(Run& run) {
  run.bus->open(Phase::fit);
  configure_optimizers(run);
  run.bus->open(Phase::pretrain);
  check_sanity(run);
  run.bus->close(Phase::pretrain);
  train(run);
  run.bus->close(Phase::fit);
  log_from_hooks(run, last_step(run));
}

/// What must not be lost, after an exception.
void keep_what_there_is(Run& run) noexcept {
  try {
    if (run.uncounted) {
      count_batch(run);
      run.between_cuts = false;
    }
  } catch (...) {
    spdlog::error("the last batch could not be counted: {}", describe(std::current_exception()));
  }
  save_last_good(run);
  try {
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
