#pragma once

#include "engine/run.hpp"

/// Checkpoints are written at two places only, after a batch and after an epoch's end: weights, optimizers
/// and counters describe one instant there.
namespace lightrun::engine {

/// At such a place: hands what was asked for since the last one to the saving thread, each under its name,
/// `last` at the end. What an earlier save has failed with is thrown here as a RunError, or under
/// `on_save_error: retry` warned about, and tried again.
void serve_saves(Run& run);

/// The run stops at this instant: saves it as `last`, where the policy says so, and keeps what it is:
/// whatever is saved from here on has it, and not what the endings of the run do.
void come_to_rest(Run& run);

/// Waits until all is on the disk. Throws RunError where something could not be written.
void finish_saves(Run& run);

/// After an exception: saves `last`, if the weights are still those of the last instant and are not in a file
/// yet, and waits for it. What fails meanwhile is logged.
void save_last_good(Run& run) noexcept;

}  // namespace lightrun::engine
