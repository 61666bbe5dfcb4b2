#pragma once

#include "engine/failure.hpp"
#include "engine/run.hpp"

#include <string>
#include <utility>

namespace lightrun::engine {

/// "epoch 0, validation batch 3, step 12".
[[nodiscard]] inline std::string place_in_words(const Run& run) {
  const bool validates = run.stage == Stage::validating || run.stage == Stage::sanity_checking;
  const bool tests = run.stage == Stage::testing;
  const int64_t batch = validates || tests ? run.val_batch_idx : run.state.batch_idx;
  const char* kind = validates ? "validation batch " : tests ? "test batch " : "batch ";
  std::string text = kind + std::to_string(batch);
  if (!tests) text = "epoch " + std::to_string(run.state.epoch) + ", " + text;
  return tests ? text : text + ", step " + std::to_string(run.state.global_step);
}

/// Runs `hooks_in_order`; after an exception: `keep()`, which must not throw, then on_exception and the
/// endings of all that is open, then the exception goes on.
template <typename Function, typename Keep>
auto ended_on_exception(Run& run, Function&& hooks_in_order, Keep&& keep) {
  try {
    return std::forward<Function>(hooks_in_order)();
  } catch (...) {
    run.stop_reason = describe(std::current_exception());
    run.failure_place = place_in_words(run);
    run.stage = Stage::ending;
    keep();
    run.bus->end_after_exception(Event::on_exception);
    throw;
  }
}

}  // namespace lightrun::engine
