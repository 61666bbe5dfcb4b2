#include "engine/event_bus.hpp"

#include "engine/failure.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>
#include <span>
#include <stdexcept>

namespace lightrun::engine {
namespace {

struct PhaseHooks {
  std::vector<Event> starts;
  std::vector<Event> ends;
};

const PhaseHooks& hooks_of(Phase phase) {
  using enum Event;
  static const std::vector<PhaseHooks> hooks = {
      {{on_fit_start, setup}, {on_fit_end, teardown}},
      {{on_pretrain_routine_start}, {on_pretrain_routine_end}},
      {{on_sanity_check_start}, {on_sanity_check_end}},
      {{on_train_start}, {on_train_end}},
      {{on_epoch_start, on_train_epoch_start}, {on_epoch_end, on_train_epoch_end}},
      {{on_batch_start, on_train_batch_start}, {on_batch_end, on_train_batch_end}},
      {{on_validation_start}, {on_validation_end}},
      {{on_validation_epoch_start}, {on_validation_epoch_end}},
      {{on_validation_batch_start}, {on_validation_batch_end}},
      {{on_test_start}, {on_test_end}},
      {{on_test_epoch_start}, {on_test_epoch_end}},
      {{on_test_batch_start}, {on_test_batch_end}},
      {{on_predict_start}, {on_predict_end}},
      {{on_predict_epoch_start}, {on_predict_epoch_end}},
      {{on_predict_batch_start}, {on_predict_batch_end}},
  };
  return hooks.at(static_cast<std::size_t>(phase));
}

void call(Callback& callback, Event event, Context& context) {
  switch (event) {
#define LIGHTRUN_CALL_both(name) \
  case Event::name:              \
    callback.name(context);      \
    break;
#define LIGHTRUN_CALL_callback(name) LIGHTRUN_CALL_both(name)
#define LIGHTRUN_CALL_model(name)
#define LIGHTRUN_CALL_summary(name)
#define LIGHTRUN_CALL_work(name)
#define LIGHTRUN_CALL(name, who) LIGHTRUN_CALL_##who(name)
    LIGHTRUN_HOOKS(LIGHTRUN_CALL)
#undef LIGHTRUN_CALL_both
#undef LIGHTRUN_CALL_callback
#undef LIGHTRUN_CALL_model
#undef LIGHTRUN_CALL_summary
    default:
      break;
  }
}

void call(Module& model, Event event, Context& context) {
  switch (event) {
#define LIGHTRUN_CALL_both(name) \
  case Event::name:              \
    model.name(context);         \
    break;
#define LIGHTRUN_CALL_callback(name) LIGHTRUN_CALL_both(name)
#define LIGHTRUN_CALL_model(name) LIGHTRUN_CALL_both(name)
#define LIGHTRUN_CALL_summary(name) LIGHTRUN_CALL_both(name)
    LIGHTRUN_HOOKS(LIGHTRUN_CALL)
#undef LIGHTRUN_CALL_both
#undef LIGHTRUN_CALL_callback
#undef LIGHTRUN_CALL_model
#undef LIGHTRUN_CALL_summary
#undef LIGHTRUN_CALL_work
#undef LIGHTRUN_CALL
    default:
      break;
  }
}

}  // namespace

EventBus::EventBus(const std::vector<std::unique_ptr<Callback>>& callbacks, Module& model, Context context,
                   Trace* trace, Profiler* profiler, std::function<TracePosition()> position)
    : callbacks_(callbacks),
      model_(model),
      context_(context),
      trace_(trace),
      profiler_(profiler),
      position_(std::move(position)) {}

bool EventBus::model_takes(Event event) const {
  switch (event_audience(event)) {
    case Audience::both:
    case Audience::model:
      return true;
    case Audience::callback:
    case Audience::summary:
      return model_.overrides().contains(event);
    case Audience::work:
      return false;
  }
  return false;
}

void EventBus::record(std::string_view who, Event event) {
  if (trace_) trace_->record(who, event_name(event), position_());
}

void EventBus::emit(Event event) {
  last_ = event_name(event);
  const Profiler::Timed timed(profiler_, event_name(event));
  const Audience audience = event_audience(event);
  if (audience == Audience::both || audience == Audience::callback) {
    record("callback", event);
    for (const auto& callback : callbacks_) {
      if (callback->wants().contains(event)) call(*callback, event, context_);
    }
  }
  if (!model_takes(event)) return;
  record("model", event);
  if (model_.overrides().contains(event)) call(model_, event, context_);
}

void EventBus::emit_to_all(Event event, std::exception_ptr& first_error) {
  if (!first_error) last_ = event_name(event);
  const Profiler::Timed timed(profiler_, event_name(event));
  const auto guarded = [&](auto& listener) {
    try {
      call(listener, event, context_);
    } catch (...) {
      if (first_error) {
        spdlog::error("{} failed too: {}", event_name(event), describe(std::current_exception()));
      } else {
        first_error = std::current_exception();
      }
    }
  };
  record("callback", event);
  for (const auto& callback : callbacks_) {
    if (callback->wants().contains(event)) guarded(*callback);
  }
  if (!model_takes(event)) return;
  record("model", event);
  if (model_.overrides().contains(event)) guarded(model_);
}

Profiler::Timed EventBus::work(Event event, std::optional<int64_t> optimizer_idx,
                               std::optional<int64_t> split_idx) {
  last_ = event_name(event);
  if (trace_) {
    TracePosition position = position_();
    position.optimizer_idx = optimizer_idx;
    position.split_idx = split_idx;
    trace_->record("model", event_name(event), position);
  }
  return Profiler::Timed(profiler_, event_name(event));
}

void EventBus::note(std::string_view who, std::string_view what) {
  if (trace_) trace_->record(who, what, position_());
}

void EventBus::start(Event event) {
  ++open_.back().started;
  emit(event);
}

void EventBus::open(Phase phase) {
  open_.push_back({phase});
  for (const Event event : hooks_of(phase).starts) start(event);
}

bool EventBus::open_unless(Phase phase, const bool& cancelled) {
  open_.push_back({phase});
  for (const Event event : hooks_of(phase).starts) {
    start(event);
    if (cancelled) {
      open_.pop_back();
      return false;
    }
  }
  return true;
}

/// Only those whose start was called have an end: the lists of a phase's hooks run side by side.
void EventBus::end(const OpenPhase& open, std::exception_ptr& first_error) {
  const auto& ends = hooks_of(open.phase).ends;
  for (std::size_t i = 0; i < std::min(open.started, ends.size()); ++i) emit_to_all(ends[i], first_error);
}

void EventBus::close(Phase phase) {
  if (open_.empty() || open_.back().phase != phase)
    throw std::logic_error("a phase is closed that is not the innermost");
  const OpenPhase open = open_.back();
  open_.pop_back();
  std::exception_ptr first_error;
  end(open, first_error);
  if (first_error) std::rethrow_exception(first_error);
}

void EventBus::end_after_exception(Event event) noexcept {
  const auto report = [](const std::exception_ptr& error) {
    if (error) spdlog::error("while ending the run: {}", describe(error));
  };
  const std::string_view failed = last_;
  if (trace_) trace_->forgive();
  std::exception_ptr error;
  emit_to_all(event, error);
  report(error);
  while (!open_.empty()) {
    const OpenPhase open = open_.back();
    open_.pop_back();
    error = nullptr;
    end(open, error);
    report(error);
  }
  last_ = failed;
}

}  // namespace lightrun::engine
