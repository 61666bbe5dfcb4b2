#pragma once

#include "config/limit.hpp"

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

}  // namespace lightrun::schedule
