#pragma once

#include "support/style.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lightrun::support {

/// Facts about a run for the screen, each a label and a text beside it.
class Facts {
 public:
  enum class Tone { plain, bold, good };

  /// @param width columns: longer texts go on below themselves; without it, nothing is broken
  explicit Facts(const Style& style = Style(), std::optional<int> width = std::nullopt)
      : style_(style), width_(width) {}

  void add(std::string_view label, std::string_view text, Tone tone = Tone::plain);

  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }

 private:
  Style style_;
  std::optional<int> width_;
  std::vector<std::string> lines_;
};

}  // namespace lightrun::support
