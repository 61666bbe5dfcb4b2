#pragma once

#include <cstdint>

namespace lightrun::data {

/// One well-mixed 64-bit number from two (the finaliser of SplitMix64), so that neighbouring seeds and epochs
/// give unrelated orders.
[[nodiscard]] inline uint64_t mixed(int64_t seed, int64_t epoch) {
  uint64_t z = static_cast<uint64_t>(seed) + 0x9e3779b97f4a7c15ULL * (static_cast<uint64_t>(epoch) + 1);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/// From here on, batch_generator() of this thread draws as `seed` says. Costs nothing until it is asked for.
void seed_batch_generator(uint64_t seed);

}  // namespace lightrun::data
