#include "engine/operator_recorder.hpp"

#include <ATen/record_function.h>

#include <atomic>
#include <utility>

namespace lightrun::engine {
namespace {

/// LibTorch calls plain functions, which find their trace only here.
std::atomic<std::shared_ptr<ChromeTrace>> operator_trace;

/// Keeps the trace: an operator of another thread may end after the recorder.
struct OpenOperator : at::ObserverContext {
  explicit OpenOperator(std::shared_ptr<ChromeTrace> trace_) : trace(std::move(trace_)) {}
  std::shared_ptr<ChromeTrace> trace;
  uint64_t thread = at::RecordFunction::currentThreadId();
  ChromeTrace::Time start = tick();
};

std::unique_ptr<at::ObserverContext> operator_begins(const at::RecordFunction& /*function*/) {
  auto trace = operator_trace.load();
  return trace ? std::make_unique<OpenOperator>(std::move(trace)) : nullptr;
}

/// What ends on another thread than it began on (a collective, say) has no place on either.
void operator_ends(const at::RecordFunction& function, at::ObserverContext* context) {
  if (context == nullptr) return;
  const auto& open = static_cast<const OpenOperator&>(*context);
  if (function.isAsync() || open.thread != at::RecordFunction::currentThreadId()) return;
  open.trace->add(ChromeTrace::Category::op, function.name(), open.start, tick());
}

}  // namespace

OperatorRecorder::OperatorRecorder(std::shared_ptr<ChromeTrace> trace) {
  operator_trace.store(std::move(trace));
  using enum at::RecordScope;
  callback_ =
      at::addGlobalCallback(at::RecordFunctionCallback(operator_begins, operator_ends)
                                .scopes({FUNCTION, BACKWARD_FUNCTION, TORCHSCRIPT_FUNCTION, USER_SCOPE}));
}

OperatorRecorder::~OperatorRecorder() {
  at::removeCallback(callback_);
  operator_trace.store(nullptr);
}

}  // namespace lightrun::engine
