#pragma once

#include "config/run_spec.hpp"

#include <string>

namespace lightrun::config {

/// Every setting as YAML, in its section. Reads back to an equal spec and dumps to the same bytes again.
[[nodiscard]] std::string dump(const RunSpec& spec);

}  // namespace lightrun::config
