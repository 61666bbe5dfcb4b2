#pragma once

#include <functional>

namespace lightrun::engine {

/// Calls a part of some work that does not need the other parts. One that catches what parts throw learns of
/// all that is wrong.
using Attempt = std::function<void(const std::function<void()>& part)>;

/// What a part throws ends the work.
inline void call(const std::function<void()>& part) {
  part();
}

}  // namespace lightrun::engine
