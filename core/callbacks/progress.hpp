#pragma once

#include "support/line_printer.hpp"
#include "support/progress_line.hpp"

#include <lightrun/callback.hpp>

#include <chrono>
#include <cstdint>

namespace lightrun::callbacks {

/// Shows how far the run is. On a terminal: a bar, redrawn at most ten times a second; elsewhere: a line at
/// most every ten seconds. On both, one line an epoch stays.
class Progress : public Callback {
 public:
  struct Options {
    bool has_bar = true;       ///< false: only the lines that stay
    int64_t refresh_rate = 1;  ///< batches between two drawings, at least
  };

  /// The printer outlives it.
  Progress(support::LinePrinter& printer, Options options) : printer_(printer), options_(options) {}

  void on_sanity_check_start(Context& context) override;
  void on_sanity_check_end(Context& context) override;
  void on_train_start(Context& context) override;
  void on_train_epoch_start(Context& context) override;
  void on_train_batch_end(Context& context) override;
  void on_validation_start(Context& context) override;
  void on_validation_batch_end(Context& context) override;
  void on_validation_end(Context& context) override;
  void on_test_start(Context& context) override;
  void on_test_batch_end(Context& context) override;
  void on_test_end(Context& context) override;
  void on_train_epoch_end(Context& context) override;
  void on_train_end(Context& context) override;
  void on_exception(Context& context) override;
  void on_keyboard_interrupt(Context& context) override;

 private:
  using Clock = std::chrono::steady_clock;

  void show(const Context& context);
  void finish(const Context& context);
  [[nodiscard]] support::ProgressState state(const Context& context) const;

  support::LinePrinter& printer_;
  Options options_;
  bool shows_ = false;       // something is under way that a bar can show
  bool failed_ = false;      // by an exception: the endings that follow it have nothing to show
  int64_t epoch_done_ = 0;   // batches of this epoch
  int64_t val_done_ = 0;     // of this validation
  int64_t done_ = 0;         // training batches since on_train_start
  int64_t done_before_ = 0;  // those of the run it resumes
  Clock::time_point train_start_{};
  Clock::time_point epoch_start_{};
  Clock::time_point validation_start_{};
  Clock::time_point last_line_{};
  Clock::duration validation_time_{};
};

}  // namespace lightrun::callbacks
