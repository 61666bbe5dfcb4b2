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

}  // namespace lightrun::schedule
