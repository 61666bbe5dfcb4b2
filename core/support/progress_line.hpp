#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lightrun::support {

/// Metrics in the order they are shown.
using ShownMetrics = std::vector<std::pair<std::string, double>>;

/// The training loss, the validation's metrics, the others; its loss first in each. A metric that has a value
/// for the epoch too (`train_loss_epoch`) is shown once, by its own name, with the epoch's value.
[[nodiscard]] ShownMetrics in_reading_order(const std::map<std::string, double, std::less<>>& metrics);

/// What a progress line tells. Numbers are as people count: the first epoch is 1, `batch` is how many are
/// done.
struct ProgressState {
  enum class Doing { training, validating, sanity_checking, testing, predicting };

  Doing doing = Doing::training;
  int64_t epoch = 1;
  std::optional<int64_t> epochs = {};
  int64_t batch = 0;
  std::optional<int64_t> batches = {};
  std::optional<double> seconds_per_batch = {};
  std::optional<double> seconds_left = {};  ///< of the whole run
  ShownMetrics metrics = {};
};

/// `epoch 3/10 [=====>    ] 14/20  312 batch/s  loss 0.123  ETA 0:12` in at most `width` columns of ASCII
/// (metric names are the user's). Where there is no room, it leaves out metrics (the last first), the rate,
/// the bar, the ETA.
/// @param waiting what the run waits for, after the count: "waiting for data 3.2 s"
[[nodiscard]] std::string progress_line(const ProgressState& state, int width, std::string_view waiting = {});

/// The same for a log file: `epoch 3/10  batch 14/20  312 batch/s  loss 0.123  ETA 0:12`, without bar, all
/// metrics.
[[nodiscard]] std::string plain_progress_line(const ProgressState& state);

/// What is said of an epoch that is over.
struct EpochReport {
  int64_t epoch = 1;
  std::optional<int64_t> epochs = {};
  int64_t batch = 0;  ///< how many were done: shown where it is not all
  std::optional<int64_t> batches = {};
  int64_t step = 0;  ///< optimizer steps of the whole run
  ShownMetrics metrics = {};
  double seconds = 0;
};

/// `epoch  3/10  step 60  train_loss 0.31  val_acc 0.97  1.2 s`; what does not fit `width` is left out: the
/// step, then metrics, the last first. Without a width all are there.
[[nodiscard]] std::string epoch_line(const EpochReport& report, std::optional<int> width = std::nullopt);

}  // namespace lightrun::support
