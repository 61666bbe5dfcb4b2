#include "schedule/limits.hpp"

#include <algorithm>

namespace lightrun::schedule {
namespace {

using Kind = config::Limit::Kind;

int64_t power_of_ten(int exponent) {
  int64_t power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

bool is_none(const config::Limit& limit) {
  return limit.kind == Kind::count ? limit.count == 0 : limit.digits == 0;
}

bool is_whole(const config::Limit& limit) {
  return limit.digits == power_of_ten(limit.scale);
}

}  // namespace

std::optional<int64_t> limited(const config::Limit& limit, std::optional<int64_t> available) {
  if (limit.kind == Kind::count) return std::min(limit.count, available.value_or(limit.count));
  if (!available) return limit.digits == 0 ? std::optional<int64_t>(0) : std::nullopt;
  // digits <= 10^18 and available < 2^63: the product needs 128 bits.
  __extension__ using Wide = __int128;
  return static_cast<int64_t>(static_cast<Wide>(*available) * limit.digits / power_of_ten(limit.scale));
}

LimitFault check_limit(const config::Limit& limit, std::optional<int64_t> available) {
  if (limit.kind == Kind::count || limit.digits == 0) return LimitFault::none;
  if (!available) return is_whole(limit) ? LimitFault::none : LimitFault::fraction_of_a_stream;
  return *available > 0 && limited(limit, available) == 0 ? LimitFault::fraction_gives_none
                                                          : LimitFault::none;
}

bool overfits(const config::TrainerSpec& trainer) {
  return !is_none(trainer.overfit_batches);
}

const config::Limit& train_limit(const config::TrainerSpec& trainer) {
  return overfits(trainer) ? trainer.overfit_batches : trainer.limit_train_batches;
}

const config::Limit& val_limit(const config::TrainerSpec& trainer) {
  return overfits(trainer) ? trainer.overfit_batches : trainer.limit_val_batches;
}

std::optional<int64_t> limited_interval(const config::Limit& interval, std::optional<int64_t> batches) {
  if (interval.kind == Kind::count) return interval.count;
  return batches ? limited(interval, batches) : std::nullopt;
}

IntervalFault check_interval(const config::TrainerSpec& trainer, std::optional<int64_t> batches) {
  const config::Limit& interval = trainer.val_check_interval;
  if (!trainer.check_val_every_n_epoch || trainer.fast_dev_run > 0) return IntervalFault::none;
  if (interval.kind == Kind::count) {
    return batches && interval.count > *batches ? IntervalFault::longer_than_epoch : IntervalFault::none;
  }
  if (!batches) return is_whole(interval) ? IntervalFault::none : IntervalFault::fraction_of_a_stream;
  return limited(interval, batches) == 0 ? IntervalFault::fraction_gives_none : IntervalFault::none;
}

}  // namespace lightrun::schedule
