// scripts/fuzz compiles this with:
// sources: core/config/*.cpp core/support/text.cpp core/support/error.cpp core/support/elide.cpp
// sources: core/support/duration.cpp core/support/metric_names.cpp core/support/quantity.cpp
// sources: core/support/exit_codes.cpp core/support/pattern.cpp
// libraries: -lyaml-cpp -lfmt

#include "fuzz/config_property.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  lightrun::fuzz::check_config({reinterpret_cast<const char*>(data), size});
  return 0;
}
