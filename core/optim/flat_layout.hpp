#pragma once

#include <cstdint>
#include <vector>

namespace lightrun::optim {

/// How an optimizer's parameters are joined (FlatParameters): it settles in which order the norm over them is
/// added up, so that a resumed run must join them alike to come to the same bits.
struct FlatLayout {
  static constexpr int64_t kByItself = -1;  // in place of a row
  static constexpr int64_t kWaits = -2;     // by itself until it has its first gradient

  bool is_over = false;       ///< they were joined, and no longer can be
  std::vector<int64_t> rows;  ///< of each parameter, group by group, the row it is in; none: not joined yet
};

template <typename Visit>
void for_each_field(FlatLayout& layout, Visit&& visit) {
  visit("is_over", layout.is_over);
  visit("rows", layout.rows);
}

}  // namespace lightrun::optim
