#pragma once

#include <string>

namespace lightrun::plugin {

/// To be called while handling an exception that a plugin's code threw. Throws PluginError "<what>: <its
/// first line>", whatever it was; a ConfigError goes on as it is.
[[noreturn]] void throw_plugin_failure(const std::string& what);

}  // namespace lightrun::plugin
