#pragma once

#include <cstdint>
#include <vector>

namespace lightrun::schedule {

/// Whether optimizer `index` is due on run-wide batch `batches_seen` (from 0). Without frequencies (all 0)
/// every optimizer is due on every batch; with them, optimizer 0 has its number of batches, then optimizer 1,
/// and so on, round and round.
[[nodiscard]] bool optimizer_is_due(std::size_t index, const std::vector<int64_t>& frequencies,
                                    int64_t batches_seen);

/// Whether the optimizer that is due on run-wide batch `batches_seen` is not due on the next one: its open
/// window ends with its turn.
[[nodiscard]] bool turn_ends(const std::vector<int64_t>& frequencies, int64_t batches_seen);

}  // namespace lightrun::schedule
