#pragma once

#include "config/value.hpp"

#include <string>

namespace lightrun::config {

/// A map as a YAML document that reads back as the same Value (without the places): one entry a line, lists
/// of scalars in brackets. A text that would read as something else is in quotes.
[[nodiscard]] std::string print_yaml(const Value& map);

/// Any value on one line: "[0.9, 0.999]", "{a: 1}", "null".
[[nodiscard]] std::string print_flow(const Value& value);

}  // namespace lightrun::config
