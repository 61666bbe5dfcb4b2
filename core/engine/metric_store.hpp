#pragma once

#include <lightrun/context.hpp>
#include <lightrun/log_options.hpp>
#include <lightrun/module.hpp>

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace lightrun::engine {

/// What is logged between two reductions, under one name.
class Accumulator {
 public:
  explicit Accumulator(Reduce reduce) : reduce_(reduce) {}
  void add(double value, double weight);
  [[nodiscard]] double value() const;
  [[nodiscard]] bool empty() const { return count_ == 0; }

 private:
  Reduce reduce_;
  int64_t count_ = 0;
  double weighted_sum_ = 0;
  double weight_ = 0;
  double sum_ = 0;
  double min_ = 0;
  double max_ = 0;
};

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

  /// The loss of one training step: logged as `name` unless the model logs that itself.
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

  [[nodiscard]] const Metrics& latest() const { return latest_; }
  [[nodiscard]] const Metrics& progress_bar() const { return progress_bar_; }

  /// How often `name` has got a new latest value.
  [[nodiscard]] int64_t times_published(std::string_view name) const;

  /// Every name there is or will be a value of, as far as was logged: sorted, each once.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  struct Metric {
    std::string name;
    bool on_step;
    bool on_epoch;
    bool prog_bar;
    Accumulator epoch;
    bool has_epoch_value = false;
    double step_value = 0;
    int64_t step_value_of = -1;  ///< which batch it is of, by the store's own count
  };

  [[nodiscard]] std::vector<Metric>& metrics() { return scopes_[static_cast<std::size_t>(scope_)]; }
  [[nodiscard]] const std::vector<Metric>& metrics() const {
    return scopes_[static_cast<std::size_t>(scope_)];
  }
  Metric& find_or_add(std::string_view name, const LogOptions& options);
  void publish(const std::string& name, double value, bool prog_bar);

  std::array<std::vector<Metric>, 2> scopes_;
  Scope scope_ = Scope::training;
  double samples_ = 1;
  int64_t batch_ = 0;
  Metrics latest_;
  Metrics progress_bar_;
  std::map<std::string, int64_t, std::less<>> times_published_;
  Accumulator window_loss_{Reduce::mean};
  std::deque<double> recent_losses_;
};

}  // namespace lightrun::engine
