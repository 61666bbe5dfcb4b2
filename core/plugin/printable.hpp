#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace lightrun::plugin {

/// A text field of a file nobody vouches for, as it may be printed: up to its first zero or its size,
/// well-formed UTF-8, with `?` for every control character and every broken byte.
[[nodiscard]] std::string printable(std::span<const char> field);

}  // namespace lightrun::plugin
