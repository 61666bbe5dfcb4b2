#pragma once

#include "engine/entry.hpp"

namespace lightrun::app {

/// Opens liblightrun.so, and LibTorch with it (about half a second), and calls its training function. Throws
/// RunError where the library cannot be opened, and whatever training throws.
[[nodiscard]] int train(const engine::TrainRequest& request);

}  // namespace lightrun::app
