#include "callbacks/progress.hpp"

#include "support/duration.hpp"
#include "support/run_header.hpp"

#include <optional>
#include <utility>

namespace lightrun::callbacks {
namespace {

constexpr std::chrono::seconds kLineInterval{10};  // where there is no terminal

}  // namespace

void Progress::on_sanity_check_start(Context& context) {
  last_line_ = Clock::now();
  begin_evaluation(context, context.info().val_batches);
}

void Progress::on_sanity_check_end(Context& /*context*/) {
  stop_showing();
}

void Progress::on_train_start(Context& /*context*/) {
  last_line_ = Clock::now();
  forecast_.training_started(now());
}

void Progress::on_train_epoch_start(Context& context) {
  epoch_start_ = Clock::now();
  epoch_done_ = 0;
  forecast_.epoch_started();
  shows_ = true;
  show(context);
}

void Progress::on_train_batch_end(Context& context) {
  if (failed_) return;
  epoch_done_ = context.batch_idx() + 1;
  forecast_.batch_done(now());
  if (epoch_done_ % options_.refresh_rate == 0) show(context);
}

void Progress::on_validation_start(Context& context) {
  begin_evaluation(context, context.info().val_batches);
}

void Progress::on_validation_batch_end(Context& context) {
  end_of_batch(context);
}

void Progress::on_validation_end(Context& /*context*/) {
  forecast_.validation_done(now());
}

void Progress::on_test_start(Context& context) {
  last_line_ = Clock::now();
  begin_evaluation(context, context.info().test_batches);
}

void Progress::on_test_batch_end(Context& context) {
  end_of_batch(context);
}

void Progress::on_test_end(Context& /*context*/) {
  stop_showing();
}

void Progress::on_predict_start(Context& context) {
  last_line_ = Clock::now();
  begin_evaluation(context, context.info().predict_batches);
}

void Progress::on_predict_batch_end(Context& context) {
  end_of_batch(context);
}

void Progress::on_predict_end(Context& /*context*/) {
  stop_showing();
}

void Progress::on_train_epoch_end(Context& context) {
  if (failed_) return;
  stop_showing();
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
  stop_showing();
}

void Progress::on_save_checkpoint(Context& /*context*/) {
  forecast_.save_started();
}

void Progress::on_exception(Context& context) {
  finish(context);
  failed_ = true;
}

void Progress::on_keyboard_interrupt(Context& context) {
  finish(context);
}

void Progress::begin_evaluation(const Context& context, const std::optional<int64_t>& batches) {
  eval_done_ = 0;
  forecast_.validation_started(now(), batches);
  shows_ = true;
  show(context);
}

/// Of an evaluation.
void Progress::end_of_batch(const Context& context) {
  ++eval_done_;
  forecast_.validation_batch_done(now());
  if (eval_done_ % options_.refresh_rate == 0) show(context);
}

/// Shows where the run is, if it is time to.
void Progress::show(const Context& context) {
  if (failed_ || !options_.has_bar) return;
  if (printer_.terminal().interactive) {
    if (!printer_.due()) return;
    printer_.status([state = state(context)](int width, std::string_view waiting) {
      return support::progress_line(state, width, waiting);
    });
  } else if (const auto time = Clock::now(); time - last_line_ >= kLineInterval) {
    printer_.line(support::plain_progress_line(state(context)));
    last_line_ = time;
  }
}

void Progress::stop_showing() {
  if (failed_) return;
  shows_ = false;
  printer_.clear_status();
}

/// Leaves a line that says how far it came, for what is printed next to stand below it.
void Progress::finish(const Context& context) {
  if (!std::exchange(shows_, false)) return;
  printer_.clear_status();
  support::ProgressState last = state(context);
  last.seconds_left.reset();
  printer_.line(printer_.terminal().interactive ? support::progress_line(last, printer_.width())
                                                : support::plain_progress_line(last));
}

support::ProgressState Progress::state(const Context& context) const {
  using enum support::ProgressState::Doing;
  const RunInfo& info = context.info();
  support::ProgressState state = {.doing = training,
                                  .epoch = context.epoch() + 1,
                                  .epochs = support::planned_epochs(info),
                                  .batch = eval_done_};
  switch (context.stage()) {
    case Stage::sanity_checking:
      state.doing = sanity_checking;
      state.batches = info.sanity_batches;
      return state;
    case Stage::testing:
      state.doing = testing;
      state.batches = info.test_batches;
      break;
    case Stage::predicting:
      state.doing = predicting;
      state.batches = info.predict_batches;
      break;
    case Stage::validating:
      state.doing = validating;
      state.batches = info.val_batches;
      break;
    default:
      state.batch = epoch_done_;
      state.batches = info.train_batches;
      state.seconds_per_batch = forecast_.seconds_per_batch();
  }
  state.metrics = support::in_reading_order(context.progress_bar_metrics());
  if (const auto left = options_.work_left()) state.seconds_left = forecast_.seconds_left(*left, now());
  return state;
}

double Progress::now() const {
  return support::seconds(Clock::now() - started_);
}

}  // namespace lightrun::callbacks
