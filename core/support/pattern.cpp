#include "support/pattern.hpp"

#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <regex>

namespace lightrun::support {

std::optional<std::string> pattern_fault(const std::string& pattern) {
  try {
    static_cast<void>(std::regex(pattern));
    return std::nullopt;
  } catch (const std::regex_error& error) {
    return error.what();
  }
}

std::vector<std::string> names_with(const std::string& pattern, const std::vector<std::string>& names) {
  const std::regex expression(pattern);
  std::vector<std::string> found;
  std::ranges::copy_if(names, std::back_inserter(found),
                       [&](const std::string& name) { return std::regex_search(name, expression); });
  return found;
}

std::string found_in_no_name(const std::string& pattern, const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 8;
  const std::size_t shown = std::min(names.size(), kShown);
  std::string text = fmt::format("'{}' is in no parameter's name; there are {}", pattern,
                                 join({names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown)}));
  if (shown < names.size()) text += fmt::format(", ... ({})", names.size());
  return text;
}

}  // namespace lightrun::support
