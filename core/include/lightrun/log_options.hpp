#pragma once

#include <optional>

namespace lightrun {

/// How the values logged under one name over an epoch become one value.
enum class Reduce { mean, sum, min, max };

/// How a metric is logged.
struct LogOptions {
  /// A value a batch, in the row of that step. Default: true in training_step, false in a validation or test,
  /// whose batches have no rows.
  std::optional<bool> on_step = {};
  /// One value an epoch (a validation, a test), reduced over its batches. Default: the opposite of on_step;
  /// in a validation or test true.
  std::optional<bool> on_epoch = {};
  /// Shown on the progress bar.
  bool prog_bar = false;
  /// `mean` weighs each batch by its number of samples, so that a short last batch counts what it holds.
  Reduce reduce = Reduce::mean;
};

}  // namespace lightrun
