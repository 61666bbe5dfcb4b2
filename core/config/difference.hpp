#pragma once

#include "config/field.hpp"
#include "config/value.hpp"

#include <string>
#include <vector>

namespace lightrun::config {

/// One setting that two configs have otherwise.
struct Difference {
  std::string path;   ///< "optimizer.lr", "callbacks.1", "model.params.hidden"
  std::string one;    ///< as YAML on one line; a block's type; "none" where there is no such entry or key
  std::string other;  ///< the same of the other config
};

/// Every setting whose value differs, in the order of `schema`. Both configs are whole, as write_block()
/// makes them of it. Blocks of different types, or of which one is null, are one difference.
[[nodiscard]] std::vector<Difference> differences(const Value& one, const Value& other, const Block& schema);

}  // namespace lightrun::config
