// scripts/fuzz compiles this with:
// sources: core/state/safetensors_header.cpp core/state/safetensors_header_reader.cpp
// sources: core/state/safetensors_checksum.cpp core/support/crc32c.cpp core/support/elide.cpp
// sources: core/support/error.cpp core/support/text.cpp

#include "fuzz/safetensors_header_property.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  lightrun::fuzz::check_safetensors_header({reinterpret_cast<const char*>(data), size});
  return 0;
}
