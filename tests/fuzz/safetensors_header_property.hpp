#pragma once

#include "fuzz/require.hpp"
#include "state/safetensors_checksum.hpp"
#include "state/safetensors_header.hpp"
#include "support/text.hpp"

#include <lightrun/error.hpp>

#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <string_view>

/// What has to hold for every input, whatever it is. Anything thrown but a RunError is a fault.
namespace lightrun::fuzz {

/// A header that was accepted is sound, and written again it reads the same.
inline void check_accepted(const state::SafetensorsHeader& header, uint64_t data_bytes) {
  uint64_t covered = 0;
  std::set<std::string> names;
  for (const state::SafetensorsEntry& entry : header.entries) {
    require(entry.begin == covered && entry.end >= entry.begin, "tensors lie end to end");
    require(names.insert(entry.name).second, "names are unique");
    for (const int64_t size : entry.shape) require(size >= 0, "no size is negative");
    covered = entry.end;
  }
  require(covered == data_bytes, "tensors cover the data");
  for (const auto& [key, value] : header.metadata) {
    require(key != state::kChecksumKey, "the checksum is no metadata");
    require(header.checksum || !state::belongs_to_lightrun(key), "lightrun's metadata has a checksum");
  }
  const std::string head = state::safetensors_head(header);
  const auto again = std::string_view(head).substr(state::kLengthBytes);
  require(state::parse_safetensors_header(again, data_bytes) == header, "written again it reads the same");
}

inline void check_header(std::string_view text, uint64_t data_bytes) {
  state::SafetensorsHeader header;
  try {
    header = state::parse_safetensors_header(text, data_bytes);
  } catch (const RunError& error) {
    require(!support::invalid_utf8(error.what()), "an error is UTF-8");
    return;
  }
  check_accepted(header, data_bytes);
}

/// Nothing where the start is none of a file.
inline std::optional<uint64_t> header_length(std::string_view start, uint64_t file_bytes) {
  try {
    return state::safetensors_header_length(start, file_bytes);
  } catch (const RunError&) {
    return std::nullopt;
  }
}

inline void check_safetensors_header(std::string_view input) {
  const std::string_view start = input.substr(0, state::kLengthBytes);
  const std::string_view rest = input.substr(start.size());
  // As a file.
  if (const auto length = header_length(start, input.size()))
    check_header(rest.substr(0, *length), rest.size() - *length);
  static_cast<void>(state::checksum_of_head(std::string(input)));
  // As a header, with a number of bytes before it: so its text may grow without the length growing along.
  uint64_t data_bytes = 0;
  if (!start.empty()) std::memcpy(&data_bytes, start.data(), start.size());
  check_header(rest, data_bytes);
}

}  // namespace lightrun::fuzz
