#pragma once

#include "config/codec.hpp"

namespace lightrun::config {

/// A regular expression (ECMAScript) that is to be found in names.
[[nodiscard]] Codec<std::string> pattern();

}  // namespace lightrun::config
