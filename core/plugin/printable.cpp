#include "plugin/printable.hpp"

#include "support/text.hpp"

#include <algorithm>
#include <string_view>

namespace lightrun::plugin {
namespace {

/// Length of the control character at the front of UTF-8 text, or 0: those of ASCII, those up to U+009F (a
/// terminal takes some for the start of a sequence), and those that turn the writing direction.
std::size_t control_at_front(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
  if (byte(0) < 0x20 || byte(0) == 0x7f) return 1;
  if (byte(0) == 0xc2 && byte(1) < 0xa0) return 2;
  const bool turns = byte(0) == 0xe2 && ((byte(1) == 0x80 && byte(2) >= 0xaa && byte(2) <= 0xae) ||
                                         (byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9));
  return turns ? 3 : 0;
}

}  // namespace

std::string printable(std::span<const char> field) {
  std::string valid(field.begin(), std::find(field.begin(), field.end(), '\0'));
  while (const auto broken = support::invalid_utf8(valid)) valid[*broken] = '?';
  std::string text;
  for (std::string_view rest = valid; !rest.empty();) {
    const std::size_t control = control_at_front(rest);
    text += control > 0 ? '?' : rest.front();
    rest.remove_prefix(control > 0 ? control : 1);
  }
  return text;
}

}  // namespace lightrun::plugin
