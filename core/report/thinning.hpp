#pragma once

#include "report/metrics.hpp"

#include <cstddef>

namespace lightrun::report {

/// The metrics with at most about `most` rows (two more at most: the first and the last one stay). Every
/// series has an equal share of them: one with fewer values keeps all, a longer one the lowest and the
/// highest of each stretch, so that spikes and what is not finite remain. Few enough rows come back as they
/// are.
[[nodiscard]] Metrics thinned(Metrics metrics, std::size_t most);

}  // namespace lightrun::report
