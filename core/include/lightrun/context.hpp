#pragma once

#include <lightrun/batch.hpp>
#include <lightrun/event.hpp>
#include <lightrun/export.hpp>
#include <lightrun/log_options.hpp>
#include <lightrun/run_info.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lightrun {

class Module;

/// What the loop is doing.
enum class Stage { setting_up, sanity_checking, training, validating, testing, predicting, ending };

/// The latest value of every metric, by name.
using Metrics = std::map<std::string, double, std::less<>>;

/// What a hook sees of the run, and what it may ask for. A hook reads; the engine decides. Valid during the
/// hook; used from the thread that called it.
class LIGHTRUN_API Context {
 public:
  class Impl;
  explicit Context(Impl& impl) : impl_(&impl) {}

  // -- where the run is; all counts are from 0

  [[nodiscard]] Stage stage() const;
  [[nodiscard]] int64_t epoch() const;
  [[nodiscard]] int64_t batch_idx() const;      ///< within the epoch; outside its batches, the last one seen
  [[nodiscard]] int64_t val_batch_idx() const;  ///< within the validation or test
  [[nodiscard]] int64_t global_step() const;    ///< optimizer windows completed
  [[nodiscard]] int64_t steps_done() const;     ///< the same, with the batch at hand once it is trained
  [[nodiscard]] int64_t batches_seen() const;   ///< training batches of the whole run
  /// In an epoch's ending hooks: batches of it are left, since the run stops.
  [[nodiscard]] bool epoch_is_cut_short() const;

  /// The batch at hand. Throws RunError outside a batch.
  [[nodiscard]] const Batch& batch() const;

  [[nodiscard]] Module& model() const;
  [[nodiscard]] const RunInfo& info() const;

  /// Latest value of every metric logged so far: `train_loss`, and what the model and callbacks log. During
  /// and after a validation these hold that validation's values.
  [[nodiscard]] const Metrics& metrics() const;
  [[nodiscard]] std::optional<double> metric(std::string_view name) const;
  /// How often a metric has got a new latest value.
  [[nodiscard]] int64_t metric_updates(std::string_view name) const;
  /// Names of all that was logged so far, also in a sanity check, whose values are not kept.
  [[nodiscard]] std::vector<std::string> metric_names() const;
  /// The metrics logged with `prog_bar`, and `loss`: the mean over the last 20 accumulation windows.
  [[nodiscard]] const Metrics& progress_bar_metrics() const;

  /// The learning rate of each optimizer's first parameter group.
  [[nodiscard]] std::vector<double> learning_rates() const;

  /// Whether a signal asks the run to end: a validation that sees it has not seen all its batches.
  [[nodiscard]] bool interrupted() const;

  /// Why the run ends, from on_train_end on: "max_epochs 10 reached", a callback's reason, an error's first
  /// line.
  [[nodiscard]] const std::string& stop_reason() const;

  // -- what a hook may ask for

  /// Ends the run after this batch, with its endings, or as soon as min_epochs and min_steps allow. The first
  /// reason given is the one reported.
  void request_stop(std::string reason);
  /// From on_batch_start or on_train_batch_start, and an error elsewhere: leaves this batch and the rest of
  /// the epoch out. What its open accumulation window holds is still stepped with.
  void skip_epoch();
  /// Asks for `checkpoints/<name>.ckpt`, a plain file name; written after this batch, or after the epoch's
  /// end, when weights, optimizer and counters describe one instant.
  /// @param replaces names of other checkpoints there, which are deleted once it is written, if they are of
  /// this run
  void request_save(std::string name, std::vector<std::string> replaces = {});
  /// Logs a metric, as Module::log does.
  void log(std::string_view name, double value, const LogOptions& options = {});

 private:
  Impl* impl_;
};

}  // namespace lightrun
