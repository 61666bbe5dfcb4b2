#pragma once

#include "engine/run.hpp"
#include "support/forecast.hpp"

#include <optional>

namespace lightrun::engine {

/// What the run has still to do, from where it is, with a validation that is under way or due now; in
/// `lightrun test`, the test. nullopt where nobody knows.
[[nodiscard]] std::optional<support::WorkLeft> work_left(const Run& run);

}  // namespace lightrun::engine
