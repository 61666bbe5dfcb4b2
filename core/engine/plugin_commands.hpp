#pragma once

#include <lightrun/export.hpp>

#include <string>
#include <vector>

namespace lightrun::engine {

/// What `lightrun plugins` and `lightrun schema` ask of the engine's library.
struct PluginsRequest {
  std::vector<std::string> plugin_dirs = {};
  std::string name = {};  ///< of `plugins`: only what is called so; "": all
};

inline constexpr const char* kPluginsSymbol = "lightrun_plugins";
inline constexpr const char* kSchemaSymbol = "lightrun_schema";
using PluginsFunction = int(const PluginsRequest&);

}  // namespace lightrun::engine

/// Prints which folders are looked in, each model, source and callback with its parameters, and why a library
/// cannot be used. Throws PluginError where there is none of that name.
extern "C" LIGHTRUN_API int lightrun_plugins(const lightrun::engine::PluginsRequest& request);

/// Prints the JSON Schema of configs, with the parameters of all that can be loaded.
extern "C" LIGHTRUN_API int lightrun_schema(const lightrun::engine::PluginsRequest& request);
