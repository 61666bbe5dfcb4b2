#pragma once

#include "engine/failure.hpp"
#include "engine/run.hpp"

#include <utility>

namespace lightrun::engine {

/// Runs `hooks_in_order`; after an exception: on_exception and the endings of all that is open, then the
/// exception goes on.
template <typename Function>
auto ended_on_exception(Run& run, Function&& hooks_in_order) {
  try {
    return std::forward<Function>(hooks_in_order)();
  } catch (...) {
    run.stop_reason = describe(std::current_exception());
    run.stage = Stage::ending;
    run.bus->end_after_exception(Event::on_exception);
    throw;
  }
}

}  // namespace lightrun::engine
