#pragma once

#include "engine/run.hpp"

namespace lightrun::engine {

/// The two places where a checkpoint is written: weights, optimizer and counters describe one instant there.
enum class Cut { after_batch, after_epoch };

/// Writes the checkpoints that were asked for since the last cut, in that order but `last` at the end.
void serve_saves(Run& run, Cut cut);

/// After an exception: writes last.ckpt, if the weights are still those of the last cut and are not in a file
/// yet. What fails meanwhile is logged.
void save_last_good(Run& run) noexcept;

}  // namespace lightrun::engine
