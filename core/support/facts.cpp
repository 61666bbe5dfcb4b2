#include "support/facts.hpp"

#include "support/elide.hpp"

#include <algorithm>

namespace lightrun::support {
namespace {

constexpr std::size_t kLabelWidth = 12;
constexpr std::size_t kNarrowestText = 16;

[[nodiscard]] std::string toned(const Style& style, Facts::Tone tone, std::string_view text) {
  switch (tone) {
    case Facts::Tone::bold:
      return style.bold(text);
    case Facts::Tone::good:
      return style.good(text);
    default:
      return std::string(text);
  }
}

}  // namespace

void Facts::add(std::string_view label, std::string_view text, Tone tone) {
  const std::string start = style_.dim(pad_right(label, kLabelWidth));
  if (!width_) {
    lines_.push_back(start + toned(style_, tone, text));
    return;
  }
  const auto columns = static_cast<std::size_t>(std::max(*width_, 1));
  // Where there is no room beside the label, the text begins below it.
  const bool is_narrow = columns < kLabelWidth + kNarrowestText;
  const std::size_t indent = std::min<std::size_t>(is_narrow ? 1 : kLabelWidth, columns - 1);
  if (is_narrow) lines_.push_back(style_.dim(elide(label, columns)));
  bool is_beside = !is_narrow;
  for (const std::string& line : wrap(text, columns - indent)) {
    lines_.push_back((is_beside ? start : std::string(indent, ' ')) + toned(style_, tone, line));
    is_beside = false;
  }
}

}  // namespace lightrun::support
