#pragma once

#include "engine/run.hpp"

/// The rows of metrics: one an optimizer step where it is due, the last step of an epoch and of the run
/// always; and what is logged between batches.
namespace lightrun::engine {

/// The last optimizer step that was done (from 0); 0 before the first.
[[nodiscard]] int64_t last_step(const Run& run);

/// Keeps what the step at hand has measured, and the rates it was done with, until the row is logged or
/// replaced.
void keep_row(Run& run, Metrics measured);

/// Logs the row that is kept, if there is one.
void log_kept_row(Run& run);

/// Logs at `step` what hooks outside of batches have logged since the last time, with `row`.
void log_from_hooks(Run& run, int64_t step, Metrics row = {});

}  // namespace lightrun::engine
