#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The safetensors format without the tensors: nothing here knows LibTorch. A file is
///
///     u64 length of the header | header, a JSON object | the tensors' data, end to end
///
/// all little-endian; offsets count from the first byte of the data.
///
/// lightrun's own files have a checksum besides: see safetensors_checksum.hpp.
namespace lightrun::state {

inline constexpr std::size_t kLengthBytes = 8;
inline constexpr uint64_t kLongestHeader = 100'000'000;       ///< as in the reference reader
inline constexpr const char* kMetadataName = "__metadata__";  ///< no tensor's name

/// The types of the format, in its order of alignment; LibTorch has only some of them.
enum class Dtype {
  boolean,
  f4,
  f6_e2m3,
  f6_e3m2,
  u8,
  i8,
  f8_e5m2,
  f8_e4m3,
  f8_e8m0,
  f8_e4m3fnuz,
  f8_e5m2fnuz,
  i16,
  u16,
  f16,
  bf16,
  i32,
  u32,
  f32,
  c64,
  f64,
  i64,
  u64,
};

/// As files spell it: "F32".
[[nodiscard]] std::string_view name_of(Dtype dtype);
[[nodiscard]] std::optional<Dtype> dtype_called(std::string_view name);

[[nodiscard]] uint64_t bits_of(Dtype dtype);

/// Where a tensor is and what it looks like.
struct SafetensorsEntry {
  std::string name;
  Dtype dtype = Dtype::f32;
  std::vector<int64_t> shape;  ///< no size is negative; none: a scalar
  uint64_t begin = 0;          ///< its first byte in the data
  uint64_t end = 0;            ///< the byte after its last

  bool operator==(const SafetensorsEntry&) const = default;
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;        ///< as they lie in the file
  std::map<std::string, std::string> metadata;  ///< without the checksum
  std::optional<uint32_t> checksum;             ///< as the file has it; whether it holds, only its data tells

  bool operator==(const SafetensorsHeader&) const = default;
};

/// How long the header is of a file of `file_bytes` bytes that begins with `start` (its first 8, or all it
/// has). Throws RunError where it cannot be: the text says what is wrong and wants the path before it, as in
/// "x.ckpt: is truncated: ...".
[[nodiscard]] uint64_t safetensors_header_length(std::string_view start, uint64_t file_bytes);

/// Reads the header's text, which may be anything. `data_bytes` is how much data the file has after it. What
/// comes back is sound: names are unique UTF-8, every tensor takes the bytes that its shape needs, and
/// together they cover the data from its first byte to its last without a hole or an overlap. Metadata that
/// is lightrun's ("lightrun.*") comes only with a well-formed checksum. Throws RunError like the above.
[[nodiscard]] SafetensorsHeader parse_safetensors_header(std::string_view text, uint64_t data_bytes);

/// What a file with this header begins with: the length and the text, padded so that the data is aligned to 8
/// bytes. Throws RunError for what no reader would take: a name twice or one the format keeps for itself,
/// text that is not UTF-8, a header that is too long, metadata that is lightrun's without a checksum.
[[nodiscard]] std::string safetensors_head(const SafetensorsHeader& header);

}  // namespace lightrun::state
