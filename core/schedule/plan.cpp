#include "schedule/plan.hpp"

#include "schedule/limits.hpp"
#include "schedule/window.hpp"

#include <algorithm>
#include <limits>

namespace lightrun::schedule {
namespace {

std::optional<int64_t> at_most(std::optional<int64_t> batches, int64_t cap) {
  return batches ? std::min(*batches, cap) : cap;
}

/// Steps and batches of `epochs` equal epochs, cut where `steps_left` are used up.
Plan::Totals run_epochs(int64_t epochs, int64_t batches, int64_t factor, int64_t steps_left) {
  const int64_t steps = steps_in_epoch(batches, factor);
  if (steps == 0) return {};
  const int64_t whole = std::min(epochs, steps_left / steps);
  Plan::Totals totals{.steps = whole * steps, .batches = whole * batches};
  if (whole < epochs) {
    const int64_t rest = steps_left - totals.steps;
    totals.steps += rest;
    totals.batches += std::min(rest * factor, batches);
  }
  return totals;
}

}  // namespace

bool Plan::validation_due(const Progress& progress, bool stops_here) const {
  if (!validates()) return false;
  if (!check_val_every_n_epoch) return stops_here || progress.batches_seen % *val_check_batches == 0;
  if ((progress.epoch + 1) % *check_val_every_n_epoch != 0) return false;
  if (stops_here) return true;
  const bool end_of_stream = train_is_stream && progress.is_last;
  return end_of_stream || (val_check_batches && (progress.batch_idx + 1) % *val_check_batches == 0);
}

bool Plan::validates_at_end_of(int64_t epoch) const {
  if (!validates() || !check_val_every_n_epoch || (epoch + 1) % *check_val_every_n_epoch != 0) return false;
  return train_is_stream || !val_check_batches || *train_batches % *val_check_batches == 0;
}

std::optional<Plan::Totals> Plan::totals_from(int64_t epoch, int64_t steps) const {
  if (!train_batches || (max_epochs == kNoLimit && !max_steps)) return std::nullopt;
  Totals totals;
  while (epoch < max_epochs) {
    const auto next = accumulation.upper_bound(epoch);
    const int64_t end = next == accumulation.end() ? max_epochs : std::min(max_epochs, next->first);
    const int64_t steps_left = max_steps ? std::max<int64_t>(*max_steps - steps - totals.steps, 0)
                                         : std::numeric_limits<int64_t>::max();
    const Totals part =
        run_epochs(end - epoch, *train_batches, accumulation_factor(accumulation, epoch), steps_left);
    totals.steps += part.steps;
    totals.batches += part.batches;
    epoch = end;
  }
  return totals;
}

Plan make_plan(const config::TrainerSpec& trainer, const Available& available) {
  Plan plan{.max_epochs = trainer.max_epochs < 0 ? Plan::kNoLimit : trainer.max_epochs,
            .min_epochs = trainer.min_epochs,
            .max_steps = trainer.max_steps,
            .min_steps = trainer.min_steps,
            .train_batches = limited(train_limit(trainer), available.train),
            .train_is_stream = !available.train,
            .val_batches = limited(val_limit(trainer), available.val),
            .test_batches = limited(trainer.limit_test_batches, available.test),
            .predict_batches = limited(trainer.limit_predict_batches, available.predict),
            .check_val_every_n_epoch = trainer.check_val_every_n_epoch,
            .accumulation = trainer.accumulate_grad_batches,
            .log_every_n_steps = trainer.log_every_n_steps};
  if (trainer.fast_dev_run > 0) {
    plan.max_epochs = std::min<int64_t>(plan.max_epochs, 1);
    plan.train_batches = at_most(plan.train_batches, trainer.fast_dev_run);
    plan.val_batches = at_most(plan.val_batches, trainer.fast_dev_run);
    plan.test_batches = at_most(plan.test_batches, trainer.fast_dev_run);
    plan.predict_batches = at_most(plan.predict_batches, trainer.fast_dev_run);
    plan.check_val_every_n_epoch = 1;
    plan.val_check_batches = plan.train_batches;
    return plan;
  }
  plan.val_check_batches = plan.train_is_stream && trainer.val_check_interval == config::Limit::all()
                               ? std::nullopt
                               : limited_interval(trainer.val_check_interval, plan.train_batches);
  const int64_t wanted =
      trainer.num_sanity_val_steps < 0 ? std::numeric_limits<int64_t>::max() : trainer.num_sanity_val_steps;
  plan.sanity_batches = *at_most(plan.val_batches, wanted);
  return plan;
}

}  // namespace lightrun::schedule
