#pragma once

#include "report/run_data.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace lightrun::report {

/// Rows of metrics that a page holds of each run; of more, spikes stay (thinned()).
inline constexpr std::size_t kMostRows = 100'000;

/// What the page's script draws, as JSON that may stand in a <script> element: no '<' is in it. Numbers are
/// in as few digits as give the same double back; nan and infinities are the texts "nan", "inf", "-inf".
/// `most_rows`: of each run.
[[nodiscard]] std::string page_data(std::vector<RunData> runs, std::size_t most_rows = kMostRows);

}  // namespace lightrun::report
