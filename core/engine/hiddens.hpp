#pragma once

#include <ATen/core/ivalue.h>

namespace lightrun::engine {

/// A hidden state cut from its graph: a tensor, or any nesting of tuples, lists and dictionaries of tensors.
/// What is no tensor stays as it is.
[[nodiscard]] c10::IValue detached(const c10::IValue& value);

}  // namespace lightrun::engine
