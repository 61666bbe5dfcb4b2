#include "support/metric_names.hpp"

#include "support/text.hpp"

#include <fmt/format.h>

namespace lightrun::support {

std::string missing_metric(const std::string& name, const std::vector<std::string>& known) {
  std::string text = fmt::format("no metric '{}' was logged", name);
  if (known.empty()) return text + ", nor any other";
  if (const auto meant = did_you_mean(name, known)) text += fmt::format(" (did you mean {}?)", *meant);
  return fmt::format("{}; there {} {}", text, known.size() == 1 ? "is" : "are", join(known));
}

}  // namespace lightrun::support
