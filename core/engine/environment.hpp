#pragma once

#include "state/checkpoint.hpp"

namespace lightrun::engine {

/// What the last bits of results depend on: LibTorch's version, its threads and the processor's instructions
/// it uses, the BLAS library's threads and kernel.
[[nodiscard]] state::Texts environment();

}  // namespace lightrun::engine
