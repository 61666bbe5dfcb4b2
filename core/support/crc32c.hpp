#pragma once

#include <cstdint>
#include <string_view>

namespace lightrun::support {

/// CRC-32C (Castagnoli: reflected polynomial 0x82F63B78, start and final xor all ones), the checksum of
/// lightrun's checkpoints and of TensorBoard's event files. It finds every burst of up to 32 damaged bits and
/// all but one in 4 billion of other damage; it is no signature.
class Crc32c {
 public:
  /// @param use_instruction counts with the processor's own instruction where it has one; false: with a
  /// table, to the same value
  explicit Crc32c(bool use_instruction = true);

  /// Whether this processor has the instruction (SSE4.2).
  [[nodiscard]] static bool has_instruction();

  /// Bytes may come in any pieces.
  void add(std::string_view bytes);

  /// Of all bytes so far; 0 of none.
  [[nodiscard]] uint32_t value() const { return ~state_; }

 private:
  bool use_instruction_;
  uint32_t state_ = 0xFFFFFFFF;
};

/// The CRC as TensorFlow's records have it: rotated and moved, since a CRC over text that has CRCs in it
/// finds less (tensorboard/summary/writer/record_writer.py).
[[nodiscard]] uint32_t masked_crc32c(std::string_view bytes);

}  // namespace lightrun::support
