#include "config/interpolate.hpp"

#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace lightrun::config {

namespace {

constexpr std::string_view kOpen = "${env:";
/// No config may have the stand-ins (SourceText::bad_character).
constexpr std::string_view kSpecial = "{}[],?:#";
constexpr std::string_view kStandIns = "\x01\x02\x03\x04\x05\x06\x0E\x0F";
static_assert(kSpecial.size() == kStandIns.size());

bool is_name(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (name.empty() || !letter(name.front())) return false;
  return std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

/// The value of what stands between `${env:` and `}`.
Interpolated variable(std::string_view inside) {
  const auto split = inside.find(":-");
  const std::string name(inside.substr(0, split));
  if (!is_name(name)) return {"", fmt::format("'{}' is no name of an environment variable", name)};
  const char* value = std::getenv(name.c_str());
  if (split != std::string_view::npos && (value == nullptr || *value == '\0')) {
    return {std::string(inside.substr(split + 2))};
  }
  if (value == nullptr) {
    return {"",
            fmt::format("the environment variable {0} is not set (${{env:{0}:-...}} gives a default)", name)};
  }
  if (support::invalid_utf8(value))
    return {"", fmt::format("the environment variable {} is not UTF-8", name)};
  return {value};
}

}  // namespace

Interpolated interpolate(std::string_view text) {
  Interpolated result;
  while (true) {
    const auto open = text.find(kOpen);
    if (open == std::string_view::npos) break;
    if (open > 0 && text[open - 1] == '$') {
      result.text += text.substr(0, open - 1);
      result.text += kOpen;
      text.remove_prefix(open + kOpen.size());
      continue;
    }
    result.text += text.substr(0, open);
    text.remove_prefix(open + kOpen.size());
    const auto close = text.find('}');
    if (close == std::string_view::npos) return {"", "${env: without its }"};
    Interpolated inside = variable(text.substr(0, close));
    if (!inside.error.empty()) return inside;
    result.text += inside.text;
    text.remove_prefix(close + 1);
  }
  result.text += text;
  return result;
}

std::string hide_interpolations(std::string_view yaml) {
  std::string hidden(yaml);
  for (auto open = hidden.find(kOpen); open != std::string::npos; open = hidden.find(kOpen, open + 1)) {
    const auto close = hidden.find_first_of("}\n", open);
    if (close == std::string::npos || hidden[close] != '}') continue;
    if (hidden.find_first_of("\"'", open) < close) continue;  // more than one text
    for (auto at = open; at <= close; ++at) {
      if (const auto which = kSpecial.find(hidden[at]); which != std::string_view::npos) {
        hidden[at] = kStandIns[which];
      }
    }
  }
  return hidden;
}

std::string show_interpolations(std::string_view text) {
  std::string shown(text);
  for (char& c : shown) {
    if (const auto which = kStandIns.find(c); which != std::string_view::npos) c = kSpecial[which];
  }
  return shown;
}

std::string escape_interpolation(std::string_view text) {
  std::string escaped;
  for (auto open = text.find(kOpen); open != std::string_view::npos; open = text.find(kOpen)) {
    escaped += text.substr(0, open);
    escaped += '$';
    escaped += kOpen;
    text.remove_prefix(open + kOpen.size());
  }
  escaped += text;
  return escaped;
}

}  // namespace lightrun::config
