#include "support/forecast.hpp"

#include <algorithm>
#include <utility>

namespace lightrun::support {
namespace {

constexpr double kPower = 3;  // of a value's number, its weight

/// A validation batch has a forward pass only, of what a training batch has.
constexpr double kForwardShare = 1.0 / 3;

}  // namespace

void RecentMean::add(double value) {
  ++count_;
  mean_ += (value - mean_) * (kPower + 1) / (count_ + kPower);
}

void Forecast::training_started(double now) {
  mark_ = now;
  under_way_.reset();  // the sanity check
}

void Forecast::save_started() {
  has_save_ = true;
  if (batches_ == saved_at_) return;
  save_gap_ = batches_ - std::exchange(saved_at_, batches_);
}

void Forecast::batch_done(double now) {
  const double seconds = now - std::exchange(mark_, now);
  const bool has_save = std::exchange(has_save_, false);
  const bool is_first = std::exchange(is_first_, false);
  const auto ordinary = batch_.value();
  ++batches_;
  if (ordinary && has_save) {
    save_.add(seconds - *ordinary);
  } else if (ordinary && is_first) {
    epoch_.add(seconds - *ordinary);
  } else {
    batch_.add(seconds);
  }
}

void Forecast::validation_started(double now, std::optional<int64_t> batches) {
  under_way_ = {.started = now, .batches = batches, .last_batch_ended = now};
  val_batches_ = batches;
}

void Forecast::validation_batch_done(double now) {
  if (!under_way_) return;
  ++under_way_->done;
  last_val_batch_ = now - std::exchange(under_way_->last_batch_ended, now);
}

void Forecast::validation_done(double now) {
  if (!under_way_) return;
  validation_.add(now - under_way_->started);
  under_way_.reset();
  mark_ = now;
}

std::optional<double> Forecast::seconds_of_validation() const {
  if (const auto mean = validation_.value()) return mean;
  if (!val_batches_) return std::nullopt;
  const auto all = static_cast<double>(*val_batches_);
  if (under_way_ && under_way_->done > 0)
    return (under_way_->last_batch_ended - under_way_->started) / static_cast<double>(under_way_->done) * all;
  if (last_val_batch_) return *last_val_batch_ * all;
  const auto training = seconds_per_batch();
  return training ? std::optional(*training * kForwardShare * all) : std::nullopt;
}

double Forecast::share_done(double whole, double now) const {
  if (!under_way_) return 0;
  const double share = under_way_->batches
                           ? static_cast<double>(under_way_->done) /
                                 static_cast<double>(std::max<int64_t>(*under_way_->batches, 1))
                           : (now - under_way_->started) / std::max(whole, 1e-9);
  return std::clamp(share, 0.0, 1.0);
}

double Forecast::saves_in(int64_t batches) const {
  if (save_gap_ == 0) return 0;
  return static_cast<double>((batches + batches_ - saved_at_) / save_gap_);
}

std::optional<double> Forecast::seconds_left(const WorkLeft& left, double now) const {
  double seconds = 0;
  if (left.batches > 0) {
    const auto batch = seconds_per_batch();
    if (!batch) return left.seconds;
    seconds += *batch * static_cast<double>(left.batches);
    if (!under_way_) seconds -= std::min(now - mark_, *batch);
    seconds += epoch_.value().value_or(0) * static_cast<double>(left.epochs);
  }
  seconds += save_.value().value_or(0) * saves_in(left.batches);
  if (left.validations > 0) {
    const auto validation = seconds_of_validation();
    if (!validation) return left.seconds;
    seconds += *validation * (static_cast<double>(left.validations) - share_done(*validation, now));
  }
  seconds = std::max(seconds, 0.0);
  return left.seconds ? std::min(*left.seconds, seconds) : seconds;
}

}  // namespace lightrun::support
