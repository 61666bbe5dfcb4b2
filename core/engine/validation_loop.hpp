#pragma once

#include "engine/run.hpp"

namespace lightrun::engine {

/// A validation at the end of an epoch, where there is one: in eval mode, without gradients, its metrics
/// logged. Training is not changed by it: modes, gradients and the random generator are as before.
void validate_if_due(Run& run);

/// A few validation batches before training, so that a mistake in them shows at once. Nothing of it is kept.
void check_sanity(Run& run);

}  // namespace lightrun::engine
