#pragma once

#include "engine/profiler.hpp"
#include "engine/trace.hpp"

#include <lightrun/callback.hpp>
#include <lightrun/context.hpp>
#include <lightrun/event.hpp>
#include <lightrun/module.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace lightrun::engine {

/// What is started and must be ended: each names its hooks in event_bus.cpp.
enum class Phase {
  fit,
  pretrain,
  sanity_check,
  train,
  epoch,
  batch,
  validation,
  validation_epoch,
  validation_batch,
  test,
  test_epoch,
  test_batch,
  predict,
  predict_epoch,
  predict_batch
};

/// Calls the hooks: callbacks in the order of the config, then the model; records them when tracing is on;
/// and keeps the stack of what is open, so that every phase that was started is ended once on every way out.
class EventBus {
 public:
  /// @param trace, profiler null where they are off
  /// @param position where the run is, asked for each recorded line
  EventBus(const std::vector<std::unique_ptr<Callback>>& callbacks, Module& model, Context context,
           Trace* trace, Profiler* profiler, std::function<TracePosition()> position);

  /// Notifies everyone who takes this hook. A hook that throws ends the notification.
  void emit(Event event);

  /// Notes that the model is about to do this hook's work: for the trace, for error messages, and for the
  /// profiler, which times it as long as the answer lives.
  [[nodiscard]] Profiler::Timed work(Event event, std::optional<int64_t> optimizer_idx = {},
                                     std::optional<int64_t> split_idx = {});

  /// Notes something that is no hook: a scheduler's step, a file written.
  void note(std::string_view who, std::string_view what);

  /// Emits the phase's start hooks.
  void open(Phase phase);
  /// The same, unless a start hook sets `cancelled`: then the phase counts as never started, and the answer
  /// is false.
  [[nodiscard]] bool open_unless(Phase phase, const bool& cancelled);
  /// Emits the end hooks of the innermost open phase, which must be `phase`. Everyone gets their ending even
  /// where another's throws; the first exception is then rethrown.
  void close(Phase phase);

  /// After an exception: emits `event` (on_exception), then ends all that is open, innermost first. What the
  /// hooks throw meanwhile is logged, not thrown.
  void end_after_exception(Event event) noexcept;

  /// Notes what is being done that is no hook, for error messages: "reading the training data".
  void doing(std::string_view what) { last_ = what; }

  /// What was called or done last, for error messages; after an exception, what failed.
  [[nodiscard]] std::string_view last() const { return last_; }

 private:
  struct OpenPhase {
    Phase phase;
    std::size_t started = 0;  ///< how many of its start hooks were called
  };

  void start(Event event);
  void emit_to_all(Event event, std::exception_ptr& first_error);
  void end(const OpenPhase& open, std::exception_ptr& first_error);
  [[nodiscard]] bool model_takes(Event event) const;
  void record(std::string_view who, Event event);

  const std::vector<std::unique_ptr<Callback>>& callbacks_;
  Module& model_;
  Context context_;
  Trace* trace_;
  Profiler* profiler_;
  std::function<TracePosition()> position_;
  std::vector<OpenPhase> open_;
  std::string_view last_ = "setting up";
};

}  // namespace lightrun::engine
