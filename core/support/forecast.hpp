#pragma once

#include <cstdint>
#include <optional>

namespace lightrun::support {

/// What a run has still to do, if nothing ends it before its time.
struct WorkLeft {
  int64_t batches = 0;                 ///< of training
  int64_t validations = 0;             ///< with one that is due or under way
  int64_t epochs = 0;                  ///< that have still to begin
  std::optional<double> seconds = {};  ///< at most, whatever is left to do
};

/// A mean in which later values weigh more, as the cube of their number: what was slow at the start is soon
/// forgotten, and chance still evens out.
class RecentMean {
 public:
  void add(double value);
  [[nodiscard]] std::optional<double> value() const {
    return count_ > 0 ? std::optional(mean_) : std::nullopt;
  }

 private:
  double count_ = 0;
  double mean_ = 0;
};

/// How long the rest of a run takes: learns what a training batch, a validation, the way from an epoch to the
/// next and a save take, and counts how many of each are left. It is told of each as it happens; times are in
/// seconds on any one clock.
class Forecast {
 public:
  void training_started(double now);
  /// The next batch is the first one of an epoch.
  void epoch_started() { is_first_ = true; }
  /// A checkpoint is saved before the next batch.
  void save_started();
  void batch_done(double now);

  /// @param batches of this validation, if that is known
  void validation_started(double now, std::optional<int64_t> batches);
  void validation_batch_done(double now);
  /// Not told of a sanity check, which is a piece of a validation.
  void validation_done(double now);

  /// nullopt before the first batch.
  [[nodiscard]] std::optional<double> seconds_per_batch() const { return batch_.value(); }

  /// nullopt while something is left of which nobody knows what it takes.
  [[nodiscard]] std::optional<double> seconds_left(const WorkLeft& left, double now) const;

 private:
  struct Validation {
    double started = 0;
    std::optional<int64_t> batches = {};
    int64_t done = 0;
    double last_batch_ended = 0;
  };

  [[nodiscard]] std::optional<double> seconds_of_validation() const;
  /// Of the one under way, the share that is over.
  [[nodiscard]] double share_done(double whole, double now) const;
  [[nodiscard]] double saves_in(int64_t batches) const;

  double mark_ = 0;  ///< where the time of the next batch begins
  int64_t batches_ = 0;
  bool is_first_ = false;  ///< is the next batch, of an epoch
  bool has_save_ = false;  ///< before the next batch
  RecentMean batch_;
  RecentMean epoch_;      ///< what an epoch's first batch takes over an ordinary one
  RecentMean save_;       ///< likewise, a batch with a save before it
  int64_t saved_at_ = 0;  ///< after how many batches
  int64_t save_gap_ = 0;  ///< batches between the last two saves; 0: there was none
  RecentMean validation_;
  std::optional<Validation> under_way_;
  std::optional<int64_t> val_batches_;  ///< of a validation
  std::optional<double> last_val_batch_;
};

}  // namespace lightrun::support
