#pragma once

#include "config/run_spec.hpp"

#include <torch/types.h>

namespace lightrun::engine {

/// The device of `trainer.devices`; "auto" is the first GPU, or the CPU without one. Throws ConfigError,
/// saying what there is, where the device is not there.
[[nodiscard]] torch::Device choose_device(const config::RunSpec& spec);

}  // namespace lightrun::engine
