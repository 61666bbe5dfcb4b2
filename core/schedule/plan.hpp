#pragma once

#include "config/run_spec.hpp"

#include <cstdint>
#include <limits>
#include <optional>

namespace lightrun::schedule {

/// Batches there are, before any limit; nullopt: a stream of unknown length. Validation, test, prediction 0:
/// there is none.
struct Available {
  std::optional<int64_t> train;
  std::optional<int64_t> val = 0;
  std::optional<int64_t> test = 0;
  std::optional<int64_t> predict = 0;
};

/// How far a run is when a batch is done.
struct Progress {
  int64_t epoch = 0;         ///< the one under way
  int64_t batch_idx = 0;     ///< of the batch, within it
  int64_t batches_seen = 0;  ///< with this one, over the whole run
  int64_t global_step = 0;   ///< with this batch's, if it made one
  bool is_last = false;      ///< the epoch's last batch

  [[nodiscard]] int64_t epochs_done() const { return epoch + (is_last ? 1 : 0); }
};

/// The whole timetable of a run: integers only, settled before the first batch.
struct Plan {
  static constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

  int64_t max_epochs = 0;  ///< or kNoLimit
  std::optional<int64_t> min_epochs = {};
  std::optional<int64_t> max_steps = {};
  std::optional<int64_t> min_steps = {};
  std::optional<int64_t> train_batches = {};  ///< an epoch; nullopt: until the stream ends
  bool train_is_stream = false;
  std::optional<int64_t> val_batches = {};  ///< a validation; 0: none
  int64_t sanity_batches = 0;
  std::optional<int64_t> test_batches = 0;        ///< of `lightrun test`
  std::optional<int64_t> predict_batches = 0;     ///< of `lightrun predict`
  std::optional<int64_t> val_check_batches = {};  ///< between validations; nullopt: at an epoch's end only
  std::optional<int64_t> check_val_every_n_epoch = {};  ///< nullopt: val_check_batches counts across epochs
  config::AccumulationSchedule accumulation;
  int64_t log_every_n_steps = 1;

  [[nodiscard]] bool validates() const { return val_batches != 0; }

  /// Whether a validation follows this batch. `stops_here`: somebody has asked the run to end after it, which
  /// brings the validation forward.
  [[nodiscard]] bool validation_due(const Progress& progress, bool stops_here) const;

  /// Whether an epoch that is left early would have had a validation at its end: then it has it now.
  [[nodiscard]] bool validates_at_end_of(int64_t epoch) const;

  /// Whether a callback's wish to stop is granted yet.
  [[nodiscard]] bool may_stop(const Progress& progress) const {
    return progress.epochs_done() >= min_epochs.value_or(0) && progress.global_step >= min_steps.value_or(0);
  }

  /// A row is logged for the step that `global_step` counts as the next to complete (from 0) ...
  [[nodiscard]] bool log_due(int64_t global_step, bool is_last_of_epoch) const {
    return is_last_of_epoch || (global_step + 1) % log_every_n_steps == 0;
  }

  [[nodiscard]] bool max_steps_reached(int64_t global_step) const {
    return max_steps && global_step >= *max_steps;
  }

  /// Optimizer steps and training batches of the whole run; nullopt where nobody knows.
  struct Totals {
    int64_t steps = 0;
    int64_t batches = 0;
  };
  [[nodiscard]] std::optional<Totals> totals() const { return totals_from(0, 0); }
  /// Of the epochs from `epoch` on, when `steps` steps are done before them.
  [[nodiscard]] std::optional<Totals> totals_from(int64_t epoch, int64_t steps) const;
};

/// The plan of a run. `fast_dev_run: n` means n batches of each kind, one epoch, no sanity check, a
/// validation at its end. Limits must have passed check_limit(), and check_interval().
[[nodiscard]] Plan make_plan(const config::TrainerSpec& trainer, const Available& available);

}  // namespace lightrun::schedule
