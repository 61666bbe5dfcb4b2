#pragma once

#include "schedule/plan.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace lightrun::schedule {

/// What a run does if nothing ends it before its time: no signal, no callback, no skipped batch.
struct Timetable {
  int64_t epochs = 0;  ///< begun
  int64_t batches = 0;
  int64_t steps = 0;
  std::vector<int64_t> windows;         ///< batches of each optimizer step of the first epoch
  std::vector<int64_t> validations;     ///< after which training batch of the run (from 1) each comes
  std::vector<int64_t> steps_at_epoch;  ///< optimizer steps done when each epoch begins
};

/// Walks through every batch of the plan. nullopt where nobody knows how many there are, and for more than a
/// hundred million.
[[nodiscard]] std::optional<Timetable> timetable(const Plan& plan);

}  // namespace lightrun::schedule
