#pragma once

#include "engine/run.hpp"

/// What a checkpoint is made of, and how a run takes it back.
namespace lightrun::engine {

/// What changes in the run beside its tensors, as it is now.
[[nodiscard]] state::Instant instant_of(const Run& run);

/// All of the run as it is now; where it has come to rest, as it was then, with the tensors of now. Tensors
/// are shared, not copied.
[[nodiscard]] state::Checkpoint checkpoint_of(Run& run);

/// Puts everything of run.resumes_from in its place: optimizers, weights, gradients, modes, progress, what
/// callbacks and the model keep; then on_load_checkpoint. Throws RunError, and has changed nothing, where it
/// does not fit this run's optimizers. The weights have been found to fit before.
void restore(Run& run);

/// The last part of it, right before the loop goes on: generators and running metrics as they were, whatever
/// hooks have drawn and logged since the start.
void restore_instant(Run& run);

}  // namespace lightrun::engine
