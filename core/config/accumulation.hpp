#pragma once

#include "config/codec.hpp"
#include "config/run_spec.hpp"

namespace lightrun::config {

/// `accumulate_grad_batches`: a count >= 1, or a map from epoch >= 0 to one, not empty.
[[nodiscard]] Codec<AccumulationSchedule> accumulation();

}  // namespace lightrun::config
