#pragma once

#include "support/line_printer.hpp"
#include "support/run_summary.hpp"

#include <lightrun/callback.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace lightrun::callbacks {

/// Prints what is about to run (facts and parameter table) before the first batch, and at the end why the run
/// stopped, how far it came, the best value of the monitored metric, and where the files are. A run that
/// fails before the header is printed gets no summary.
class Summary : public Callback {
 public:
  struct Options {
    std::string monitor = "val_loss";
    bool higher_is_better = false;
    bool has_table = true;  ///< of the parameters
    bool prints = true;     ///< false: it only keeps count, for a run that is resumed later
  };

  /// The printer outlives it.
  Summary(support::LinePrinter& printer, Options options);

  void on_pretrain_routine_start(Context& context) override;
  void on_train_start(Context& context) override;
  void on_train_batch_end(Context& context) override;
  void on_validation_start(Context& context) override;
  void on_validation_end(Context& context) override;
  void on_train_epoch_end(Context& context) override;
  void on_train_end(Context& context) override;
  void on_exception(Context& context) override;
  void teardown(Context& context) override;

  void save_state(StateDict& state) const override;
  void load_state(const StateDict& state) override;

 private:
  using Clock = std::chrono::steady_clock;

  void watch(const Context& context);
  [[nodiscard]] std::optional<int> screen_width() const;
  [[nodiscard]] support::RunSummary summary(const Context& context) const;

  support::LinePrinter& printer_;
  Options options_;
  support::BestValue best_;
  bool has_header_ = false;
  bool failed_ = false;
  int64_t epochs_ = 0;
  int64_t samples_ = 0;
  Clock::time_point train_start_{};
  Clock::time_point train_end_{};
  Clock::time_point validation_start_{};
  Clock::duration validation_time_{};
};

}  // namespace lightrun::callbacks
