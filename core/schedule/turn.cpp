#include "schedule/turn.hpp"

#include <numeric>

namespace lightrun::schedule {

bool optimizer_is_due(std::size_t index, const std::vector<int64_t>& frequencies, int64_t batches_seen) {
  const int64_t round = std::accumulate(frequencies.begin(), frequencies.end(), int64_t{0});
  if (round == 0) return true;
  int64_t place = batches_seen % round;
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    if (place < frequencies[i]) return i == index;
    place -= frequencies[i];
  }
  return false;
}

bool turn_ends(const std::vector<int64_t>& frequencies, int64_t batches_seen) {
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    if (optimizer_is_due(i, frequencies, batches_seen) && !optimizer_is_due(i, frequencies, batches_seen + 1))
      return true;
  }
  return false;
}

}  // namespace lightrun::schedule
