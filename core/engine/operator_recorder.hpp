#pragma once

#include "engine/chrome_trace.hpp"

#include <cstdint>
#include <memory>

namespace lightrun::engine {

/// Adds LibTorch's operators to a trace for as long as it lives: those of all threads, the backward pass's
/// functions too, and what the model marks with RECORD_USER_SCOPE. One at a time: a second one gets what the
/// first would have.
class OperatorRecorder {
 public:
  explicit OperatorRecorder(std::shared_ptr<ChromeTrace> trace);
  ~OperatorRecorder();
  OperatorRecorder(const OperatorRecorder&) = delete;
  OperatorRecorder& operator=(const OperatorRecorder&) = delete;

 private:
  uint64_t callback_;
};

}  // namespace lightrun::engine
