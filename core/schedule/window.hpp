#pragma once

#include "config/run_spec.hpp"

#include <cstdint>
#include <optional>

/// Accumulation windows: how many batches make one optimizer step. A window never crosses an epoch's end.
namespace lightrun::schedule {

/// The factor in force in `epoch` (from 0).
[[nodiscard]] int64_t accumulation_factor(const config::AccumulationSchedule& schedule, int64_t epoch);

/// Whether a batch closes its window, given how many batches the window holds with it.
[[nodiscard]] constexpr bool closes_window(int64_t batches_in_window, int64_t factor, bool is_last_of_epoch) {
  return batches_in_window >= factor || is_last_of_epoch;
}

/// How many batches the window that starts at `batch_idx` is going to hold: the factor, or what the epoch has
/// left. Where the epoch's length is unknown, the factor.
[[nodiscard]] int64_t planned_window(int64_t batch_idx, int64_t factor,
                                     std::optional<int64_t> batches_in_epoch);

/// Optimizer steps of an epoch of `batches`: the last window may be short.
[[nodiscard]] constexpr int64_t steps_in_epoch(int64_t batches, int64_t factor) {
  return batches / factor + (batches % factor != 0 ? 1 : 0);
}

}  // namespace lightrun::schedule
