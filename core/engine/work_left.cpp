#include "engine/work_left.hpp"

#include "engine/stopping.hpp"
#include "schedule/work_left.hpp"

#include <algorithm>

namespace lightrun::engine {
namespace {

schedule::Position position_of(const Run& run) {
  const state::RunState& state = run.state;
  const bool rest_is_skipped = state.trained ? state.trained->skip_epoch : state.rest_skipped;
  const int64_t done = state.trained ? state.batch_idx + 1 : state.epoch_batches;
  return {.epoch = state.epoch,
          .epoch_batches = rest_is_skipped ? run.plan.train_batches.value_or(done) : done,
          .batches_seen = state.batches_done(),
          .global_step = state.steps_done()};
}

bool validation_is_ahead(const Run& run, const schedule::Position& at) {
  if (!run.state.trained || run.state.trained->validated) return false;
  if (run.stage == Stage::validating) return true;
  return run.plan.validation_due(progress_with_batch(run, at.epoch_batches >= run.plan.train_batches), false);
}

}  // namespace

std::optional<support::WorkLeft> work_left(const Run& run) {
  if (run.stage == Stage::testing || run.stage == Stage::predicting)
    return support::WorkLeft{.validations = 1};
  const schedule::Position at = position_of(run);
  auto left = schedule::work_left(run.plan, at);
  if (!left) return left;
  if (validation_is_ahead(run, at)) ++left->validations;
  if (const auto limit = run.spec.trainer.max_time) left->seconds = std::max(*limit - run.seconds(), 0.0);
  return left;
}

}  // namespace lightrun::engine
