#pragma once

#include <string>
#include <string_view>

namespace lightrun::support {

/// Colours for text, or none. Used sparingly: `dim` for labels, `bold` for what a reader looks for first,
/// `good` for a result, `warning` and
/// `error` for the word that begins one.
class Style {
 public:
  explicit Style(bool color = false) : color_(color) {}

  [[nodiscard]] std::string dim(std::string_view text) const { return wrap("\x1b[2m", text); }
  [[nodiscard]] std::string bold(std::string_view text) const { return wrap("\x1b[1m", text); }
  [[nodiscard]] std::string good(std::string_view text) const { return wrap("\x1b[32m", text); }
  [[nodiscard]] std::string warning(std::string_view text) const { return wrap("\x1b[33m", text); }
  [[nodiscard]] std::string error(std::string_view text) const { return wrap("\x1b[31m", text); }

 private:
  [[nodiscard]] std::string wrap(std::string_view start, std::string_view text) const {
    if (!color_ || text.empty()) return std::string(text);
    return std::string(start) + std::string(text) + "\x1b[0m";
  }

  bool color_;
};

}  // namespace lightrun::support
