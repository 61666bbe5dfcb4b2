#include "engine/stopping.hpp"

#include "support/duration.hpp"

#include <csignal>
#include <cstring>

namespace lightrun::engine {

using schedule::Progress;

Progress progress_with_batch(const Run& run, bool is_last) {
  return {.epoch = run.state.epoch,
          .batch_idx = run.state.batch_idx,
          .batches_seen = run.state.batches_done(),
          .global_step = run.state.steps_done(),
          .is_last = is_last || run.state.trained->skip_epoch};
}

Progress progress_between_epochs(const Run& run) {
  return {.epoch = run.state.epoch + (run.state.epoch_done ? 1 : 0),
          .batches_seen = run.state.batches_seen,
          .global_step = run.state.global_step};
}

void look_at_clock(Run& run) {
  const auto limit = run.spec.trainer.max_time;
  if (!limit || run.requests.stop || run.seconds() < *limit) return;
  run.requests.stop = "max_time " + support::duration_text(*limit) + " reached";
}

bool wish_is_granted(Run& run, const Progress& progress) {
  run.requests.stop_is_granted = run.requests.stop && run.plan.may_stop(progress);
  return run.requests.stop_is_granted;
}

std::optional<std::string> interruption(const Run& run) {
  const auto signal = run.signals ? run.signals->received() : std::nullopt;
  return signal ? std::optional(std::string("interrupted by SIG") + sigabbrev_np(*signal)) : std::nullopt;
}

std::optional<std::string> reason_to_stop(Run& run, const Progress& progress) {
  if (auto reason = interruption(run)) return reason;
  if (wish_is_granted(run, progress)) return run.requests.stop;
  if (run.plan.max_steps_reached(progress.global_step)) {
    return "max_steps " + std::to_string(*run.plan.max_steps) + " reached";
  }
  return std::nullopt;
}

}  // namespace lightrun::engine
