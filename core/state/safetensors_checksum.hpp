#pragma once

#include "support/crc32c.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

/// The checksum of lightrun's own safetensors files, which the format lacks: "lightrun.crc32c" in the
/// metadata, eight lower-case hex digits, is the CRC-32C of the whole file with these eight read as 0. In the
/// header key and value stand without white space: "lightrun.crc32c":"0123abcd".
namespace lightrun::state {

inline constexpr const char* kChecksumKey = "lightrun.crc32c";

/// Whether metadata of this name is lightrun's own, "lightrun.*", or was the checksum before less than half
/// of the characters of its name changed. It comes only together with a checksum: damage must not switch the
/// check off.
[[nodiscard]] bool belongs_to_lightrun(std::string_view key);

/// The eight digits.
[[nodiscard]] std::string digits_of_checksum(uint32_t checksum);

/// Takes the checksum out of the metadata that was read from the header `text`. Nothing comes back for a file
/// that has none and is not lightrun's. Throws RunError where the digits are no digits or not where they
/// should be, and where metadata belongs to lightrun without a checksum.
[[nodiscard]] std::optional<uint32_t> take_checksum(std::map<std::string, std::string>& metadata,
                                                    std::string_view text);

/// The CRC of a file's first part, `head`: all before its data, which is to be added.
[[nodiscard]] support::Crc32c checksum_of_head(std::string head);

}  // namespace lightrun::state
