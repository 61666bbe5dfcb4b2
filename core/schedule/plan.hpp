#pragma once

#include "config/run_spec.hpp"

#include <cstdint>
#include <optional>

namespace lightrun::schedule {

/// Batches there are, before any limit; nullopt: a stream of unknown length. Validation 0: there is none.
struct Available {
  std::optional<int64_t> train;
  std::optional<int64_t> val = 0;
};

/// The whole timetable of a run: integers only, settled before the first batch.
struct Plan {
  int64_t max_epochs = 0;
  std::optional<int64_t> max_steps;
  std::optional<int64_t> train_batches;  ///< an epoch; nullopt: until the stream ends
  std::optional<int64_t> val_batches;    ///< a validation; 0: none
  int64_t sanity_batches = 0;
  config::AccumulationSchedule accumulation;
  int64_t log_every_n_steps = 1;

  [[nodiscard]] bool validates() const { return val_batches != 0; }

  /// A row is logged for the step that `global_step` counts as the next to complete (from 0) ...
  [[nodiscard]] bool log_due(int64_t global_step, bool is_last_of_epoch) const {
    return is_last_of_epoch || (global_step + 1) % log_every_n_steps == 0;
  }

  [[nodiscard]] bool max_steps_reached(int64_t global_step) const {
    return max_steps && global_step >= *max_steps;
  }

  /// Optimizer steps and training batches of the whole run; nullopt where the length of an epoch is unknown.
  struct Totals {
    int64_t steps = 0;
    int64_t batches = 0;
  };
  [[nodiscard]] std::optional<Totals> totals() const;
};

/// The plan of a run. `fast_dev_run: n` means n batches of each kind, one epoch, no sanity check. Limits must
/// have passed check_limit().
[[nodiscard]] Plan make_plan(const config::TrainerSpec& trainer, const Available& available);

}  // namespace lightrun::schedule
