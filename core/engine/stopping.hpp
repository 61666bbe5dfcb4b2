#pragma once

#include "engine/run.hpp"

#include <optional>
#include <string>

/// Why and when a run ends: a signal, a wish, its limits.
namespace lightrun::engine {

/// How far the run is with the batch that is trained and not counted yet. One that a hook left out is not
/// counted.
/// @param is_last whether the epoch has no batch after it
[[nodiscard]] schedule::Progress progress_with_batch(const Run& run, bool is_last);

/// How far the run is between epochs.
[[nodiscard]] schedule::Progress progress_between_epochs(const Run& run);

/// max_time is a wish to stop like any other.
void look_at_clock(Run& run);

/// Whether somebody wishes the run to stop, and min_epochs and min_steps have nothing against it (any more).
[[nodiscard]] bool wish_is_granted(Run& run, const schedule::Progress& progress);

/// "interrupted by SIGINT", where a signal asks the run to end.
[[nodiscard]] std::optional<std::string> interruption(const Run& run);

/// Why training ends here, if it does.
[[nodiscard]] std::optional<std::string> reason_to_stop(Run& run, const schedule::Progress& progress);

}  // namespace lightrun::engine
