#pragma once

#include "config/codec.hpp"
#include "config/data_spec.hpp"

#include <cstddef>

namespace lightrun::config {

/// A map of names to names, at least `least` of them.
[[nodiscard]] Codec<Names> names(std::size_t least);

/// A text of one character, which is no line end, quote or part of a longer one.
[[nodiscard]] Codec<std::string> one_character();

}  // namespace lightrun::config
