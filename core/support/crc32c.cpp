#include "support/crc32c.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#ifdef __x86_64__
#include <nmmintrin.h>
#endif

namespace lightrun::support {
namespace {

static_assert(std::endian::native == std::endian::little, "eight bytes at once are read as they lie");

constexpr uint32_t kCastagnoli = 0x82F63B78;
constexpr uint32_t kMaskDelta = 0xA282EAD8;

using CrcTables = std::array<std::array<uint32_t, 256>, 8>;

/// Table n: the CRC of a byte that n zero bytes follow.
constexpr CrcTables make_crc_tables() {
  CrcTables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kCastagnoli : 0);
    tables[0][byte] = crc;
  }
  for (std::size_t n = 1; n < tables.size(); ++n) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const uint32_t before = tables[n - 1][byte];
      tables[n][byte] = (before >> 8) ^ tables[0][before & 0xFF];
    }
  }
  return tables;
}

constexpr CrcTables kCrcTables = make_crc_tables();

uint64_t eight_bytes(std::string_view bytes) {
  uint64_t word = 0;
  std::memcpy(&word, bytes.data(), sizeof word);
  return word;
}

/// Eight bytes a turn, each by its own table ("slicing by 8").
uint32_t crc_by_table(uint32_t state, std::string_view bytes) {
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    const uint64_t word = eight_bytes(bytes) ^ state;
    state = 0;
    for (std::size_t i = 0; i < 8; ++i) state ^= kCrcTables[7 - i][(word >> (8 * i)) & 0xFF];
  }
  for (const char c : bytes) state = (state >> 8) ^ kCrcTables[0][(state ^ static_cast<uint8_t>(c)) & 0xFF];
  return state;
}

#ifdef __x86_64__
__attribute__((target("sse4.2"))) uint32_t crc_by_instruction(uint32_t state, std::string_view bytes) {
  uint64_t wide = state;
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) wide = _mm_crc32_u64(wide, eight_bytes(bytes));
  auto narrow = static_cast<uint32_t>(wide);
  for (const char c : bytes) narrow = _mm_crc32_u8(narrow, static_cast<uint8_t>(c));
  return narrow;
}
#else
uint32_t crc_by_instruction(uint32_t state, std::string_view bytes) {
  return crc_by_table(state, bytes);
}
#endif

}  // namespace

Crc32c::Crc32c(bool use_instruction) : use_instruction_(use_instruction && has_instruction()) {}

bool Crc32c::has_instruction() {
#ifdef __x86_64__
  static const bool has = __builtin_cpu_supports("sse4.2") != 0;
  return has;
#else
  return false;
#endif
}

void Crc32c::add(std::string_view bytes) {
  state_ = use_instruction_ ? crc_by_instruction(state_, bytes) : crc_by_table(state_, bytes);
}

uint32_t masked_crc32c(std::string_view bytes) {
  Crc32c crc;
  crc.add(bytes);
  return std::rotr(crc.value(), 15) + kMaskDelta;
}

}  // namespace lightrun::support
