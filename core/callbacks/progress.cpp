#include "callbacks/progress.hpp"

#include "support/duration.hpp"
#include "support/run_header.hpp"

#include <algorithm>
#include <optional>

namespace lightrun::callbacks {
namespace {

constexpr std::chrono::seconds kLineInterval{10};  // where there is no terminal

}  // namespace

void Progress::on_sanity_check_start(Context& context) {
  val_done_ = 0;
  shows_ = true;
  last_line_ = Clock::now();
  show(context);
}

void Progress::on_sanity_check_end(Context& /*context*/) {
  if (failed_) return;
  shows_ = false;
  printer_.clear_status();
}

void Progress::on_train_start(Context& context) {
  train_start_ = last_line_ = Clock::now();
  done_before_ = context.batches_seen();
}

void Progress::on_train_epoch_start(Context& context) {
  epoch_start_ = Clock::now();
  epoch_done_ = 0;
  shows_ = true;
  show(context);
}

void Progress::on_train_batch_end(Context& context) {
  if (failed_) return;
  epoch_done_ = context.batch_idx() + 1;
  ++done_;
  show(context);
}

void Progress::on_validation_start(Context& context) {
  validation_start_ = Clock::now();
  val_done_ = 0;
  show(context);
}

void Progress::on_validation_batch_end(Context& context) {
  ++val_done_;
  show(context);
}

void Progress::on_validation_end(Context& /*context*/) {
  validation_time_ += Clock::now() - validation_start_;
}

void Progress::on_test_start(Context& context) {
  val_done_ = 0;
  shows_ = true;
  last_line_ = Clock::now();
  show(context);
}

void Progress::on_test_batch_end(Context& context) {
  ++val_done_;
  show(context);
}

void Progress::on_test_end(Context& /*context*/) {
  if (failed_) return;
  shows_ = false;
  printer_.clear_status();
}

void Progress::on_train_epoch_end(Context& context) {
  if (failed_) return;
  shows_ = false;
  printer_.clear_status();
  if (epoch_done_ == 0) return;  // it was over in the run that is resumed
  const support::EpochReport report = {.epoch = context.epoch() + 1,
                                       .epochs = support::planned_epochs(context.info()),
                                       .batch = epoch_done_,
                                       .batches = context.info().train_batches,
                                       .step = context.global_step(),
                                       .metrics = support::in_reading_order(context.metrics()),
                                       .seconds = support::seconds(Clock::now() - epoch_start_)};
  const bool fits_screen = printer_.terminal().interactive;
  printer_.line(support::epoch_line(report, fits_screen ? std::optional(printer_.width()) : std::nullopt));
  last_line_ = Clock::now();
}

void Progress::on_train_end(Context& /*context*/) {
  printer_.clear_status();
}

void Progress::on_exception(Context& context) {
  finish(context);
  failed_ = true;
}

void Progress::on_keyboard_interrupt(Context& context) {
  finish(context);
}

/// Shows where the run is, if it is time to.
void Progress::show(const Context& context) {
  if (failed_ || !options_.has_bar) return;
  const int64_t done = context.stage() == Stage::training ? epoch_done_ : val_done_;
  if (done % options_.refresh_rate != 0) return;
  if (printer_.terminal().interactive) {
    if (printer_.due()) printer_.status(support::progress_line(state(context), printer_.width()));
  } else if (const auto now = Clock::now(); now - last_line_ >= kLineInterval) {
    printer_.line(support::plain_progress_line(state(context)));
    last_line_ = now;
  }
}

/// Leaves a line that says how far it came, for what is printed next to stand below it.
void Progress::finish(const Context& context) {
  if (!shows_) return;
  shows_ = false;
  printer_.clear_status();
  const support::ProgressState last = state(context);
  printer_.line(printer_.terminal().interactive ? support::progress_line(last, printer_.width())
                                                : support::plain_progress_line(last));
}

support::ProgressState Progress::state(const Context& context) const {
  using enum support::ProgressState::Doing;
  const RunInfo& info = context.info();
  support::ProgressState state = {.epoch = context.epoch() + 1, .epochs = support::planned_epochs(info)};
  if (context.stage() == Stage::sanity_checking) {
    state.doing = sanity_checking;
    state.batch = val_done_;
    state.batches = info.sanity_batches;
    return state;
  }
  if (context.stage() == Stage::testing) {
    state.doing = testing;
    state.batch = val_done_;
    state.batches = info.test_batches;
    return state;
  }
  const bool validates = context.stage() == Stage::validating;
  state.doing = validates ? validating : training;
  state.batch = validates ? val_done_ : epoch_done_;
  state.batches = validates ? info.val_batches : info.train_batches;
  state.metrics = support::in_reading_order(context.progress_bar_metrics());
  if (done_ == 0) return state;
  const double elapsed = support::seconds(Clock::now() - train_start_);
  const double trained = support::seconds(Clock::now() - train_start_ - validation_time_);
  if (!validates) state.seconds_per_batch = trained / static_cast<double>(done_);
  if (info.total_batches)
    state.seconds_left =
        elapsed / static_cast<double>(done_) *
        static_cast<double>(std::max<int64_t>(*info.total_batches - done_before_ - done_, 0));
  return state;
}

}  // namespace lightrun::callbacks
