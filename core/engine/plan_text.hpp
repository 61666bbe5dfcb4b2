#pragma once

#include "engine/rehearsal.hpp"
#include "engine/run.hpp"

#include <string>
#include <vector>

namespace lightrun::engine {

/// What a run whose optimizers are configured would do, a line each: data, windows, steps, validations,
/// checkpoints, logs, learning rates, memory. Steps every optimizer once with gradients of zero to see how
/// large its state is.
/// @param width of the curve of learning rates, in columns
[[nodiscard]] std::vector<std::string> plan_text(Run& run, std::size_t width);

/// The hooks of one epoch, a line each, indented by what they are in; batches that are alike are shown once.
[[nodiscard]] std::vector<std::string> hooks_text(const std::vector<HookCall>& calls);

}  // namespace lightrun::engine
