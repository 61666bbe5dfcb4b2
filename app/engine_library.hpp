#pragma once

#include "engine/entry.hpp"

namespace lightrun::app {

/// Opens liblightrun.so, and LibTorch with it (about half a second), and calls the function of it that is
/// named `symbol` (engine::kTrainSymbol, ...). Throws RunError where the library cannot be opened, and
/// whatever the function throws.
[[nodiscard]] int call_engine(const char* symbol, const engine::RunRequest& request);

}  // namespace lightrun::app
