#include "config/pattern.hpp"

#include "support/pattern.hpp"

#include <fmt/format.h>

namespace lightrun::config {

Codec<std::string> pattern() {
  Codec<std::string> codec = text();
  codec.type = "a regular expression";
  codec.read = [read = codec.read](const Value& value, const Report& report) -> std::optional<std::string> {
    auto given = read(value, report);
    if (!given) return std::nullopt;
    if (const auto fault = support::pattern_fault(*given)) {
      report(value.mark, fmt::format("'{}' is not a regular expression: {}", *given, *fault));
      return std::nullopt;
    }
    return given;
  };
  return codec;
}

}  // namespace lightrun::config
