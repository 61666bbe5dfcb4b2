#include "schedule/work_left.hpp"

#include "schedule/window.hpp"

#include <algorithm>

namespace lightrun::schedule {
namespace {

/// Batches of the epoch under way that are left, and the optimizer steps they make.
Plan::Totals rest_of_epoch(const Plan& plan, const Position& at) {
  const int64_t rest = std::max<int64_t>(*plan.train_batches - at.epoch_batches, 0);
  if (rest == 0 || at.epoch >= plan.max_epochs) return {};
  const int64_t factor = accumulation_factor(plan.accumulation, at.epoch);
  const Plan::Totals whole{.steps = steps_in_epoch(*plan.train_batches, factor) - at.epoch_batches / factor,
                           .batches = rest};
  if (!plan.max_steps || *plan.max_steps - at.global_step >= whole.steps) return whole;
  const int64_t steps = std::max<int64_t>(*plan.max_steps - at.global_step, 0);
  return {.steps = steps,
          .batches = std::clamp<int64_t>(steps * factor - at.epoch_batches % factor, 0, rest)};
}

/// Validations within the first `batches` batches of an epoch that has some.
int64_t validations_in_epoch(const Plan& plan, int64_t batches) {
  const int64_t inside = plan.val_check_batches ? batches / *plan.val_check_batches : 0;
  const bool at_end = plan.val_check_batches && *plan.train_batches % *plan.val_check_batches == 0;
  return inside + (plan.train_is_stream && batches == *plan.train_batches && !at_end ? 1 : 0);
}

/// How many epochs before `epoch` have validations.
int64_t validated_epochs(const Plan& plan, int64_t epoch) {
  return epoch / *plan.check_val_every_n_epoch;
}

int64_t validations_left(const Plan& plan, const Position& at, int64_t rest, int64_t later) {
  if (!plan.validates()) return 0;
  if (!plan.check_val_every_n_epoch) {
    const int64_t every = *plan.val_check_batches;
    return (at.batches_seen + rest + later) / every - at.batches_seen / every;
  }
  const auto has_some = [&](int64_t epoch) {
    return validated_epochs(plan, epoch + 1) > validated_epochs(plan, epoch);
  };
  const int64_t next = at.epoch + 1;
  const int64_t end = next + later / *plan.train_batches;  // where a last epoch is cut short
  int64_t count = (validated_epochs(plan, end) - validated_epochs(plan, next)) *
                  validations_in_epoch(plan, *plan.train_batches);
  if (has_some(at.epoch))
    count +=
        validations_in_epoch(plan, at.epoch_batches + rest) - validations_in_epoch(plan, at.epoch_batches);
  if (has_some(end)) count += validations_in_epoch(plan, later % *plan.train_batches);
  return count;
}

}  // namespace

std::optional<support::WorkLeft> work_left(const Plan& plan, const Position& at) {
  const int64_t steps_before = plan.max_steps ? at.global_step : 0;
  if (plan.train_batches == 0) return support::WorkLeft{};
  if (!plan.totals()) return std::nullopt;
  const Plan::Totals rest = rest_of_epoch(plan, at);
  const auto later = plan.totals_from(at.epoch + 1, steps_before + rest.steps);
  const int64_t epochs = (later->batches + *plan.train_batches - 1) / *plan.train_batches;
  return support::WorkLeft{.batches = rest.batches + later->batches,
                           .validations = validations_left(plan, at, rest.batches, later->batches),
                           .epochs = epochs};
}

}  // namespace lightrun::schedule
