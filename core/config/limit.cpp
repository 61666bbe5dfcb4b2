#include "config/limit.hpp"

#include <fmt/format.h>

#include <string_view>

namespace lightrun::config {

std::string Limit::text() const {
  if (kind == Kind::count) return std::to_string(count);
  // 29 of scale 2 is "029", then "0.29".
  const auto decimals = static_cast<std::size_t>(scale);
  const std::string all = fmt::format("{:0{}}", digits, decimals + 1);
  const std::string_view whole = std::string_view(all).substr(0, all.size() - decimals);
  return fmt::format("{}.{}", whole, decimals == 0 ? "0" : all.substr(whole.size()));
}

}  // namespace lightrun::config
