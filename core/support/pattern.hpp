#pragma once

#include <optional>
#include <string>
#include <vector>

/// Regular expressions (ECMAScript) that choose names: one is found anywhere in a name unless it is anchored.
namespace lightrun::support {

/// What is wrong with `pattern`, or nothing.
[[nodiscard]] std::optional<std::string> pattern_fault(const std::string& pattern);

/// Those of `names` in which `pattern`, which is right, is found; in their order.
[[nodiscard]] std::vector<std::string> names_with(const std::string& pattern,
                                                  const std::vector<std::string>& names);

/// "'biass' is in no parameter's name; there are a.weight, a.bias, ... (12)".
[[nodiscard]] std::string found_in_no_name(const std::string& pattern, const std::vector<std::string>& names);

}  // namespace lightrun::support
