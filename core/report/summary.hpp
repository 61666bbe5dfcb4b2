#pragma once

#include "report/metrics.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace lightrun::report {

/// Which values of a metric are good ones.
enum class Better { lower, higher, unknown };

/// What the name says: a loss or an error is better the lower, an accuracy or a score the higher.
[[nodiscard]] Better better_by_name(const std::string& metric);

/// A value and the row that has it.
struct ValueAt {
  double value = 0;
  std::size_t row = 0;
};

/// What became of a metric. Nothing is the lowest, highest or best where no value is finite.
struct Summary {
  ValueAt final;
  std::optional<ValueAt> lowest;
  std::optional<ValueAt> highest;
  std::optional<ValueAt> best;  ///< the first of equals; nothing where it is unknown what is better
};

/// Of a series with at least one value.
[[nodiscard]] Summary summary_of(const Series& series, Better better);

}  // namespace lightrun::report
