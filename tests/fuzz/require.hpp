#pragma once

#include <stdexcept>

namespace lightrun::fuzz {

/// What does not hold ends the fuzzer, and fails the test that runs its corpus.
inline void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

}  // namespace lightrun::fuzz
