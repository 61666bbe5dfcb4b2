#pragma once

#include "engine/failure.hpp"
#include "engine/run.hpp"

#include <spdlog/fmt/fmt.h>

#include <string>
#include <utility>

namespace lightrun::engine {

/// "epoch 0, validation batch 3, step 12".
[[nodiscard]] inline std::string place_in_words(const Run& run) {
  if (run.stage == Stage::testing) return fmt::format("test batch {}", run.val_batch_idx);
  if (run.stage == Stage::predicting) return fmt::format("prediction batch {}", run.val_batch_idx);
  const auto [kind, batch] = run.evaluates() ? std::pair("validation batch", run.val_batch_idx)
                                             : std::pair("batch", run.state.batch_idx);
  return fmt::format("epoch {}, {} {}, step {}", run.state.epoch, kind, batch, run.state.global_step);
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
