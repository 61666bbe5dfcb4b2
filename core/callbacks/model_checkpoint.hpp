#pragma once

#include "callbacks/monitor.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace lightrun::callbacks {

/// Asks for checkpoints: the best by a metric, or without one the newest, under names of their own; and
/// last.ckpt at regular intervals. Which ones it keeps is in its state, so that a resumed run goes on with
/// them. NaN is never among the best, and is warned about.
class ModelCheckpoint : public Monitor {
 public:
  struct Rule {
    int64_t save_top_k = 1;  ///< 0: none; -1: all
    bool save_last = true;
    int64_t every_n_epochs = 1;  ///< 0: not at ends of epochs
    std::optional<int64_t> every_n_train_steps = {};
    std::optional<std::chrono::duration<double>> every = {};
    /// What a file is called, without ".ckpt".
    std::function<std::string(const Context&)> file_name = [](const Context&) { return "best"; };
    /// Whether there is a file of that name which is not of this run.
    std::function<bool(const std::string&)> is_foreign = [](const std::string&) { return false; };
  };

  ModelCheckpoint(Options options, Rule rule);

  void on_train_start(Context& context) override;
  void on_train_batch_end(Context& context) override;
  void on_train_epoch_end(Context& context) override;

  void save_state(StateDict& state) const override;
  void load_state(const StateDict& state) override;
  [[nodiscard]] std::string state_key() const override { return key_of("model_checkpoint"); }

 private:
  using Clock = std::chrono::steady_clock;

  struct Kept {
    std::string name;
    double value = 0;  ///< of the metric; without one its number, counted up
  };

  void consider(Context& context, double value) override;
  void save_at_interval(Context& context);
  void keep(Context& context, double value);
  [[nodiscard]] bool is_better(double value, double other) const;
  [[nodiscard]] std::vector<Kept>::const_iterator worst() const;
  [[nodiscard]] std::string free_name(const std::string& wanted) const;

  Rule rule_;
  std::vector<Kept> kept_;            ///< the earliest first
  std::vector<std::string> dropped_;  ///< with the last request: a kill may have kept them from being deleted
  int64_t made_ = 0;                  ///< requests for a file of its own
  int64_t step_intervals_ = 0;        ///< of every_n_train_steps that are over
  Clock::time_point last_time_ = Clock::now();
};

}  // namespace lightrun::callbacks
