#pragma once

#include "config/limit.hpp"
#include "config/run_spec.hpp"

#include <cstdint>
#include <optional>

namespace lightrun::schedule {

/// How many batches a limit leaves of `available` (nullopt: a stream, its length unknown): a count is capped
/// at what there is; a fraction f of n is floor(f * n) in exact decimal arithmetic (0.29 of 100 is 29). Of a
/// stream, a fraction of 1 leaves all (nullopt) and of 0 none; any other fraction of a stream has no meaning
/// and is refused by check_limit().
[[nodiscard]] std::optional<int64_t> limited(const config::Limit& limit, std::optional<int64_t> available);

enum class LimitFault {
  none,
  fraction_gives_none,   ///< "0.1 of 9 batches is none"
  fraction_of_a_stream,  ///< "half of what nobody knows the length of"
};

/// What is wrong with applying `limit` to `available` batches, if anything. A limit of 0 is no fault.
[[nodiscard]] LimitFault check_limit(const config::Limit& limit, std::optional<int64_t> available);

/// Which limits hold: `overfit_batches`, where it is on, goes before both.
[[nodiscard]] const config::Limit& train_limit(const config::TrainerSpec& trainer);
[[nodiscard]] const config::Limit& val_limit(const config::TrainerSpec& trainer);
[[nodiscard]] bool overfits(const config::TrainerSpec& trainer);

/// Batches between two validations, of an epoch of `batches` (nullopt: its length is unknown): a count as it
/// is, a fraction of them. nullopt: a fraction of nobody knows what.
[[nodiscard]] std::optional<int64_t> limited_interval(const config::Limit& interval,
                                                      std::optional<int64_t> batches);

enum class IntervalFault {
  none,
  longer_than_epoch,     ///< "every 12 batches, of 5": it would never come
  fraction_gives_none,   ///< "0.1 of 5 batches"
  fraction_of_a_stream,  ///< other than 1.0, which is the stream's end
};

/// What is wrong with validating every `val_check_interval` of an epoch of `batches`, if anything.
[[nodiscard]] IntervalFault check_interval(const config::TrainerSpec& trainer,
                                           std::optional<int64_t> batches);

}  // namespace lightrun::schedule
