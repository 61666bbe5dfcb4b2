#pragma once

#include <string>

namespace lightrun::plugin {

/// The C++ name of a linker symbol or of a type_info's name; other names as they are.
[[nodiscard]] std::string demangled(const std::string& symbol);

}  // namespace lightrun::plugin
