#pragma once

#include "state/metric_state.hpp"

#include <lightrun/context.hpp>
#include <lightrun/log_options.hpp>
#include <lightrun/module.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lightrun::engine {

/// All metrics of a run: the values of the batch at hand, the running reductions of the epoch, the latest
/// value of everything. Training and validation have one scope each.
///
/// A metric logged with on_step is reported under its name at that step. One logged with on_epoch is
/// reported, once an epoch (a validation), under its name, or with `_epoch` appended where it is logged with
/// on_step too.
class MetricStore final : public MetricSink {
 public:
  enum class Scope { training, validation };

  /// From here on, what is logged belongs to a batch of `samples` of this scope (their weight in a mean).
  void begin_batch(Scope scope, int64_t samples);

  void log(std::string_view name, const torch::Tensor& value, const LogOptions& options) override;
  void log(std::string_view name, double value, const LogOptions& options) override;

  /// The loss of one training step: logged as `name` unless the model logs that itself. Of a batch in splits
  /// the last one's is the batch's value.
  void log_loss(const std::string& name, double loss);

  /// An accumulation window is over: the progress bar's `loss` is the mean over the last 20 windows, each the
  /// mean of its losses.
  void close_window();

  /// Values logged with on_step in the batch at hand.
  [[nodiscard]] Metrics step_values() const;

  /// Reduces and forgets what the scope has gathered since the last time: over an epoch's batches, or in its
  /// ending hooks. With `publish_values` the values become the latest
  /// ones.
  Metrics end_epoch(Scope scope, bool publish_values = true);

  /// Takes back what was logged since begin_batch, as far as it is in an epoch's reductions: of a batch that
  /// failed.
  void forget_batch();

  [[nodiscard]] const Metrics& latest() const { return state_.latest; }
  [[nodiscard]] const Metrics& progress_bar() const { return state_.progress_bar; }

  /// How often `name` has got a new latest value.
  [[nodiscard]] int64_t times_published(std::string_view name) const;

  /// Every name there is or will be a value of, as far as was logged: sorted, each once.
  [[nodiscard]] std::vector<std::string> names() const;

  /// All that a checkpoint keeps of it; the values of the batch at hand are not among that.
  [[nodiscard]] const state::MetricState& state() const { return state_; }
  void restore(state::MetricState state);

 private:
  /// What a metric has had in the batch at hand.
  struct InBatch {
    int64_t batch = -1;      ///< which one, by the store's own count
    bool is_models = false;  ///< the model or a callback has logged it, not log_loss
    std::optional<double> value;
    state::Accumulated epoch_before;
  };

  [[nodiscard]] std::size_t scope() const { return static_cast<std::size_t>(scope_); }
  /// The metric of that name in the scope; with its place there.
  std::size_t find_or_add(std::string_view name, const LogOptions& options);
  InBatch& in_batch(std::size_t metric);
  void add(std::size_t metric, double value, const LogOptions& options);
  void publish(const std::string& name, double value, bool prog_bar);

  state::MetricState state_;
  std::array<std::vector<InBatch>, 2> in_batch_;  ///< beside state_.scopes
  state::Accumulated window_loss_before_;
  Scope scope_ = Scope::training;
  double samples_ = 1;
  int64_t batch_ = 0;
};

}  // namespace lightrun::engine
