#pragma once

#include "schedule/plan.hpp"
#include "support/forecast.hpp"

#include <cstdint>
#include <optional>

namespace lightrun::schedule {

/// How far a run is, between two batches.
struct Position {
  int64_t epoch = 0;          ///< the one under way
  int64_t epoch_batches = 0;  ///< of it, done
  int64_t batches_seen = 0;   ///< over the whole run
  int64_t global_step = 0;
};

/// What is left from there on, if nothing ends the run before its time: no signal, no callback, no skipped
/// batch. Validations that follow the last batch done count as held. nullopt where nobody knows.
[[nodiscard]] std::optional<support::WorkLeft> work_left(const Plan& plan, const Position& at);

}  // namespace lightrun::schedule
