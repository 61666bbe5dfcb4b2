#pragma once

#include <lightrun/export.hpp>

#include <array>
#include <bitset>
#include <cstddef>
#include <string_view>

/// The whole loop, written out once; the list below has one line a hook, in this order.
///
///     on_fit_start, setup
///     configure_optimizers
///     on_pretrain_routine_start
///       [on_load_checkpoint]                                                  when the run resumes
///       [on_sanity_check_start, VALIDATION without its metrics, on_sanity_check_end]
///     on_pretrain_routine_end
///     train_dataloader, val_dataloader
///     on_train_start
///     each epoch:
///       on_epoch_start, on_train_epoch_start
///       each batch:
///         on_batch_start, on_train_batch_start                                skip_epoch() ends the epoch
///         [tbptt_split_batch]
///         each split, each due optimizer:
///           training_step, [training_step_end], backward, on_after_backward
///           at the end of a window: finite check, clip,
///             optimizer_step, on_before_zero_grad, optimizer_zero_grad
///         on_batch_end, on_train_batch_end
///         VALIDATION when due
///         metrics logged when due; LR schedules with interval step; global_step + 1 at a window's end
///       [training_epoch_end], on_epoch_end, on_train_epoch_end
///       LR schedules with interval epoch
///     on_train_end
///     on_fit_end, teardown
///
///     VALIDATION: on_validation_start, on_validation_epoch_start,
///       each batch: on_validation_batch_start, validation_step, on_validation_batch_end
///       [validation_epoch_end], on_validation_epoch_end, on_validation_end
///       (a sanity check: without the two outermost)
///
/// `lightrun test` has on_fit_start, setup, the pretrain routine, the same as a VALIDATION with `test` for
/// `validation`, on_fit_end and teardown; `lightrun predict` likewise, with `predict`.
///
/// An optimizer that evaluates the loss itself (LBFGS) has training_step, backward and on_after_backward
/// inside its optimizer_step, once for each evaluation, gradients cleared before each.
///
/// On the way out by an exception: on_exception; by a signal: on_keyboard_interrupt; then the endings of all
/// that was started, each once. A checkpoint is written between hooks, after a batch or after an epoch
/// (on_save_checkpoint).
///
/// For every hook: callbacks first, in the order of the config, then the model, then loggers.
///
/// HOOK(name, who), who takes it:
///   both      callbacks and model
///   callback  callbacks; the model too, but a trace shows the model's only where it overrides it (Lightning
///   0.9
///             has these on callbacks only)
///   model     the model
///   summary   the model, where it overrides it
///   work      the model does this step's work; its signature is its own
#define LIGHTRUN_HOOKS(HOOK)                \
  HOOK(on_fit_start, both)                  \
  HOOK(setup, both)                         \
  HOOK(configure_optimizers, work)          \
  HOOK(on_pretrain_routine_start, callback) \
  HOOK(on_load_checkpoint, both)            \
  HOOK(on_sanity_check_start, callback)     \
  HOOK(on_sanity_check_end, callback)       \
  HOOK(on_pretrain_routine_end, both)       \
  HOOK(train_dataloader, work)              \
  HOOK(val_dataloader, work)                \
  HOOK(test_dataloader, work)               \
  HOOK(predict_dataloader, work)            \
  HOOK(on_train_start, both)                \
  HOOK(on_epoch_start, both)                \
  HOOK(on_train_epoch_start, both)          \
  HOOK(on_batch_start, both)                \
  HOOK(on_train_batch_start, both)          \
  HOOK(tbptt_split_batch, work)             \
  HOOK(training_step, work)                 \
  HOOK(training_step_end, work)             \
  HOOK(backward, work)                      \
  HOOK(on_after_backward, model)            \
  HOOK(optimizer_step, work)                \
  HOOK(on_before_zero_grad, model)          \
  HOOK(optimizer_zero_grad, work)           \
  HOOK(on_batch_end, both)                  \
  HOOK(on_train_batch_end, both)            \
  HOOK(on_validation_start, callback)       \
  HOOK(on_validation_epoch_start, both)     \
  HOOK(on_validation_batch_start, both)     \
  HOOK(validation_step, work)               \
  HOOK(on_validation_batch_end, both)       \
  HOOK(validation_epoch_end, summary)       \
  HOOK(on_validation_epoch_end, both)       \
  HOOK(on_validation_end, callback)         \
  HOOK(on_test_start, callback)             \
  HOOK(on_test_epoch_start, both)           \
  HOOK(on_test_batch_start, both)           \
  HOOK(test_step, work)                     \
  HOOK(on_test_batch_end, both)             \
  HOOK(test_epoch_end, summary)             \
  HOOK(on_test_epoch_end, both)             \
  HOOK(on_test_end, callback)               \
  HOOK(on_predict_start, callback)          \
  HOOK(on_predict_epoch_start, both)        \
  HOOK(on_predict_batch_start, both)        \
  HOOK(predict_step, work)                  \
  HOOK(on_predict_batch_end, both)          \
  HOOK(on_predict_epoch_end, both)          \
  HOOK(on_predict_end, callback)            \
  HOOK(training_epoch_end, summary)         \
  HOOK(on_epoch_end, both)                  \
  HOOK(on_train_epoch_end, both)            \
  HOOK(on_train_end, both)                  \
  HOOK(on_save_checkpoint, both)            \
  HOOK(on_exception, callback)              \
  HOOK(on_keyboard_interrupt, callback)     \
  HOOK(on_fit_end, both)                    \
  HOOK(teardown, both)

namespace lightrun {

/// One value a hook, with the hook's name.
enum class Event : unsigned char {
#define LIGHTRUN_EVENT(name, who) name,
  LIGHTRUN_HOOKS(LIGHTRUN_EVENT)
#undef LIGHTRUN_EVENT
};

/// Who takes a hook; see LIGHTRUN_HOOKS.
enum class Audience : unsigned char { both, callback, model, summary, work };

inline constexpr std::array kEventNames = {
#define LIGHTRUN_EVENT_NAME(name, who) std::string_view{#name},
    LIGHTRUN_HOOKS(LIGHTRUN_EVENT_NAME)
#undef LIGHTRUN_EVENT_NAME
};

inline constexpr std::size_t kEventCount = kEventNames.size();

inline constexpr std::array<Audience, kEventCount> kEventAudience = {
#define LIGHTRUN_EVENT_AUDIENCE(name, who) Audience::who,
    LIGHTRUN_HOOKS(LIGHTRUN_EVENT_AUDIENCE)
#undef LIGHTRUN_EVENT_AUDIENCE
};

/// The hook's name, as in traces: "on_train_epoch_end".
[[nodiscard]] constexpr std::string_view event_name(Event event) {
  return kEventNames[static_cast<std::size_t>(event)];
}

[[nodiscard]] constexpr Audience event_audience(Event event) {
  return kEventAudience[static_cast<std::size_t>(event)];
}

/// A set of events.
class EventSet {
 public:
  constexpr EventSet() = default;
  [[nodiscard]] bool contains(Event event) const { return bits_[static_cast<std::size_t>(event)]; }
  void insert(Event event) { bits_[static_cast<std::size_t>(event)] = true; }
  /// Every event there is.
  [[nodiscard]] static EventSet all() {
    EventSet set;
    set.bits_.set();
    return set;
  }

 private:
  std::bitset<kEventCount> bits_;
};

}  // namespace lightrun
