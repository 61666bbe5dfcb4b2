#include "engine/fit_loop.hpp"

#include "engine/failure.hpp"
#include "engine/learning_rates.hpp"
#include "engine/optimizers.hpp"
#include "engine/saver.hpp"
#include "engine/training_batch.hpp"
#include "engine/validation_loop.hpp"

#include <lightrun/error.hpp>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <csignal>
#include <cstring>

namespace lightrun::engine {
namespace {

/// Why training ends after this batch, if it does.
std::optional<std::string> reason_to_stop(const Run& run) {
  if (const auto signal = run.signals ? run.signals->received() : std::nullopt) {
    return std::string("interrupted by SIG") + sigabbrev_np(*signal);
  }
  if (run.requests.stop) return run.requests.stop;
  if (run.plan.max_steps_reached(run.state.global_step)) {
    return "max_steps " + std::to_string(*run.plan.max_steps) + " reached";
  }
  return std::nullopt;
}

void log_training_row(Run& run, int64_t step, Metrics row) {
  const auto rates = run.learning_rates();
  for (std::size_t i = 0; i < rates.size(); ++i) {
    row[rates.size() == 1 ? "lr" : "lr_" + std::to_string(i)] = rates[i];
  }
  run.log_row(step, row);
}

/// One batch and what is due after it. False: a hook asked to skip the rest of the epoch.
bool train_and_follow_up(Run& run, const Batch& batch) {
  const bool is_last = run.train_loader->at_end();
  const int64_t step = run.state.global_step;
  const BatchOutcome outcome = train_batch(run, batch, is_last);
  Metrics measured = run.metrics.step_values();  // a validation measures too
  if (is_last || outcome == BatchOutcome::skip_epoch) validate_if_due(run);
  if (outcome == BatchOutcome::skip_epoch) return false;

  const bool step_done = outcome == BatchOutcome::step_done;
  if (step_done && run.plan.log_due(step, is_last)) log_training_row(run, step, std::move(measured));
  if (step_done) advance_schedules(run, LrSchedule::Interval::step);
  ++run.state.batches_seen;
  run.state.samples_seen += batch.size();
  if (step_done) ++run.state.global_step;
  serve_saves(run, Cut::after_batch);
  return true;
}

/// For the log file: where the run is, and the latest value of every metric.
std::string epoch_text(const Run& run) {
  std::string text = fmt::format("epoch {} ended after step {}", run.state.epoch, run.state.global_step);
  for (const auto& [name, value] : run.metrics.latest()) text += fmt::format("  {} {:.6g}", name, value);
  return text;
}

void train_epoch(Run& run) {
  run.train_loader->start_epoch(run.state.epoch, run.plan.train_batches);
  bool is_whole = true;
  run.bus->open(Phase::epoch);
  for (run.state.batch_idx = 0; auto batch = run.train_loader->next(); ++run.state.batch_idx) {
    if (!train_and_follow_up(run, batch->to(run.device))) break;
    if (run.train_loader->at_end()) break;
    if (reason_to_stop(run)) {
      is_whole = false;
      break;
    }
  }
  Metrics row = run.metrics.end_epoch(MetricStore::Scope::training);
  run.metrics.begin_batch(MetricStore::Scope::training, 1);  // what the ending hooks log
  run.bus->emit(Event::training_epoch_end);
  run.bus->close(Phase::epoch);
  row.merge(run.metrics.step_values());
  run.log_row(std::max<int64_t>(run.state.global_step - 1, 0), row);
  spdlog::info("{}", epoch_text(run));
  // A run that ends on max_steps does not advance them any more, as in Lightning 0.9.
  if (is_whole && !run.plan.max_steps_reached(run.state.global_step)) {
    advance_schedules(run, LrSchedule::Interval::epoch);
  }
  serve_saves(run, is_whole ? Cut::after_epoch : Cut::after_batch);
}

void train(Run& run) {
  run.stage = Stage::training;
  run.bus->open(Phase::train);
  auto reason = reason_to_stop(run);
  for (int64_t epoch = run.state.epoch; epoch < run.plan.max_epochs && !reason; ++epoch) {
    run.state.epoch = epoch;
    train_epoch(run);
    reason = reason_to_stop(run);
  }
  run.stop_reason = reason.value_or("max_epochs " + std::to_string(run.plan.max_epochs) + " reached");
  if (run.signals && run.signals->received()) run.bus->emit(Event::on_keyboard_interrupt);
  if (run.state.batches_seen > 0 && run.state.global_step == 0) {
    spdlog::warn("no optimizer step was done: training_step skipped every one of {} batches",
                 run.state.batches_seen);
  }
  run.stage = Stage::ending;
  run.bus->close(Phase::train);
}

void run_hooks_in_order(Run& run) {
  run.bus->open(Phase::fit);
  configure_optimizers(run);
  run.bus->open(Phase::pretrain);
  check_sanity(run);
  run.bus->close(Phase::pretrain);
  train(run);
  run.bus->close(Phase::fit);
}

}  // namespace

void fit(Run& run) {
  try {
    run_hooks_in_order(run);
  } catch (...) {
    run.stop_reason = describe(std::current_exception());
    run.stage = Stage::ending;
    run.bus->end_after_exception(Event::on_exception);
    throw;
  }
}

}  // namespace lightrun::engine
