#pragma once

#include <string>

namespace lightrun::plugin {

/// Opens the shared library at `path` (absolute, already checked: see read_plugin_file()) and returns its own
/// function of the name `symbol`. The library stays open until the process ends: objects, exceptions and
/// threads of its code may live on.
///
/// Throws PluginError, starting with `path`: a library it needs is missing, an undefined symbol, no such
/// function, or a static initialiser that throws. After the last one the process should end soon: the
/// loader's lock stays taken, so that its other threads cannot open libraries any more, and the loader takes
/// the library for open. A static initialiser that calls std::terminate, or a noexcept function that throws,
/// ends the process.
[[nodiscard]] void* function_in(const std::string& path, const char* symbol);

}  // namespace lightrun::plugin
