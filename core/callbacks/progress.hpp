#pragma once

#include "support/forecast.hpp"
#include "support/line_printer.hpp"
#include "support/progress_line.hpp"

#include <lightrun/callback.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

namespace lightrun::callbacks {

/// Shows how far the run is. On a terminal: a bar, redrawn at most ten times a second; elsewhere: a line at
/// most every ten seconds. On both, one line an epoch stays.
class Progress : public Callback {
 public:
  struct Options {
    bool has_bar = true;       ///< false: only the lines that stay
    int64_t refresh_rate = 1;  ///< batches between two drawings, at least
    /// What the run has still to do; nullopt where nobody knows.
    std::function<std::optional<support::WorkLeft>()> work_left = [] { return std::nullopt; };
  };

  /// The printer outlives it.
  Progress(support::LinePrinter& printer, Options options)
      : printer_(printer), options_(std::move(options)) {}

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
  void on_predict_start(Context& context) override;
  void on_predict_batch_end(Context& context) override;
  void on_predict_end(Context& context) override;
  void on_train_epoch_end(Context& context) override;
  void on_train_end(Context& context) override;
  void on_save_checkpoint(Context& context) override;
  void on_exception(Context& context) override;
  void on_keyboard_interrupt(Context& context) override;

 private:
  using Clock = std::chrono::steady_clock;

  void begin_evaluation(const Context& context, const std::optional<int64_t>& batches);
  void end_of_batch(const Context& context);
  void show(const Context& context);
  void stop_showing();
  void finish(const Context& context);
  [[nodiscard]] support::ProgressState state(const Context& context) const;
  [[nodiscard]] double now() const;

  support::LinePrinter& printer_;
  Options options_;
  support::Forecast forecast_;
  bool shows_ = false;      // something is under way that a bar can show
  bool failed_ = false;     // by an exception: the endings that follow it have nothing to show
  int64_t epoch_done_ = 0;  // batches of this epoch
  int64_t eval_done_ = 0;   // of this validation, sanity check or test
  Clock::time_point started_ = Clock::now();
  Clock::time_point epoch_start_{};
  Clock::time_point last_line_{};
};

}  // namespace lightrun::callbacks
