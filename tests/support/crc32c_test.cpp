#include "support/crc32c.hpp"

#include "support/catch.hpp"

#include <cstdint>
#include <string>

using lightrun::support::Crc32c;
using lightrun::support::masked_crc32c;

namespace {

uint32_t crc_of(std::string_view bytes, bool use_instruction = true) {
  Crc32c crc(use_instruction);
  crc.add(bytes);
  return crc.value();
}

/// Bytes 0, 1, 2, ... `factor` apart.
std::string counted_bytes(std::size_t count, int factor = 1) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) {
    bytes += static_cast<char>(static_cast<uint8_t>(static_cast<int>(i) * factor));
  }
  return bytes;
}

}  // namespace

TEST_CASE("the CRC-32C of known bytes, by the instruction and by the table") {
  for (const bool use_instruction : {true, false}) {
    INFO(use_instruction);
    CHECK(crc_of("", use_instruction) == 0);
    CHECK(crc_of("123456789", use_instruction) == 0xE3069283);
    // RFC 3720, B.4
    CHECK(crc_of(std::string(32, '\0'), use_instruction) == 0x8A9136AA);
    CHECK(crc_of(std::string(32, '\xff'), use_instruction) == 0x62A8AB43);
    CHECK(crc_of(counted_bytes(32), use_instruction) == 0x46DD794E);
  }
}

TEST_CASE("the instruction and the table agree, whatever the length and the place in memory") {
  if (!Crc32c::has_instruction()) WARN("this processor has no instruction for CRC-32C");
  const std::string bytes = counted_bytes(300, 37);
  for (std::size_t begin = 0; begin < 9; ++begin) {
    for (std::size_t length = 0; length + begin <= bytes.size(); ++length) {
      const std::string_view part = std::string_view(bytes).substr(begin, length);
      if (crc_of(part) != crc_of(part, false)) FAIL("at " << begin << ", " << length << " bytes");
    }
  }
}

TEST_CASE("bytes in two pieces have the CRC of the whole") {
  const std::string_view whole = "The quick brown fox jumps over the lazy dog";
  for (const bool use_instruction : {true, false}) {
    for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
      Crc32c crc(use_instruction);
      crc.add(whole.substr(0, cut));
      crc.add(whole.substr(cut));
      CHECK(crc.value() == crc_of(whole));
    }
  }
}

TEST_CASE("the masked CRC of an event file's first record is TensorFlow's") {
  using namespace std::string_literals;
  const std::string length = "\x18\0\0\0\0\0\0\0"s;
  const std::string event = "\x09\0\0\0\0\0\0\xf0\x3f\x1a\x0d"s + "brain.Event:2";
  REQUIRE(event.size() == 0x18);
  CHECK(masked_crc32c(length) == 0x224B7FA3);
  CHECK(masked_crc32c(event) == 0x7A57BF86);
}
