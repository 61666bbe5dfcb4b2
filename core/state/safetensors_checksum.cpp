#include "state/safetensors_checksum.hpp"

#include "support/text.hpp"

#include <lightrun/error.hpp>

#include <cstddef>

namespace lightrun::state {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::size_t kDigits = 8;

/// Where the digits are in a header that was read as JSON or that we wrote. A quote inside of a name or a
/// text has a backslash before it; one that has none begins the key, which is there once.
std::optional<std::size_t> place_of_digits(std::string_view text) {
  const std::string before = '"' + std::string(kChecksumKey) + "\":\"";
  auto found = text.find(before, 1);
  while (found != std::string_view::npos && text[found - 1] == '\\') found = text.find(before, found + 1);
  if (found == std::string_view::npos || found + before.size() + kDigits > text.size()) return std::nullopt;
  return found + before.size();
}

/// Of eight digits; nothing where they are none.
std::optional<uint32_t> value_of_digits(std::string_view digits) {
  uint32_t value = 0;
  for (const char digit : digits) {
    const auto nibble = kHexDigits.find(digit);
    if (nibble == std::string_view::npos) return {};
    value = value << 4 | static_cast<uint32_t>(nibble);
  }
  return value;
}

}  // namespace

bool belongs_to_lightrun(std::string_view key) {
  constexpr std::string_view kOurs = "lightrun.";
  constexpr std::string_view kWhole = kChecksumKey;
  if (key.starts_with(kOurs)) return true;
  if (key.size() != kWhole.size()) return false;
  std::size_t equal = 0;
  for (std::size_t i = 0; i < key.size(); ++i) equal += key[i] == kWhole[i] ? 1 : 0;
  return equal > kWhole.size() / 2;
}

std::string digits_of_checksum(uint32_t checksum) {
  std::string digits;
  for (int shift = 28; shift >= 0; shift -= 4) digits += kHexDigits[checksum >> shift & 0xF];
  return digits;
}

std::optional<uint32_t> take_checksum(std::map<std::string, std::string>& metadata, std::string_view text) {
  const auto found = metadata.find(kChecksumKey);
  if (found == metadata.end()) {
    for (const auto& [key, value] : metadata) {
      if (belongs_to_lightrun(key))
        throw RunError("is damaged: it has metadata of lightrun, but no checksum");
    }
    return std::nullopt;
  }
  const auto place = place_of_digits(text);
  const bool in_place = place && text.substr(*place, kDigits) == found->second;
  const auto checksum = value_of_digits(found->second);
  if (!in_place || !checksum)
    throw RunError("is damaged: its checksum is not eight hex digits, or not in its place");
  metadata.erase(found);
  return checksum;
}

support::Crc32c checksum_of_head(std::string head) {
  if (const auto place = place_of_digits(head)) head.replace(*place, kDigits, kDigits, '0');
  support::Crc32c crc;
  crc.add(head);
  return crc;
}

}  // namespace lightrun::state
