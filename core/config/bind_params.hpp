#pragma once

#include <lightrun/params.hpp>

#include "config/value.hpp"

#include <string>

namespace lightrun::config {

/// The values of the parameters of a model, source or callback: `given`, the map at `path` ("model.params"),
/// over the declared defaults. Throws
/// ConfigError (UsageError if a flag is concerned) with a line for each unknown key, wrong type, value out of
/// range or word that is no choice. A whole number is taken for a number.
[[nodiscard]] Params bind_params(const Value& given, const ParamDecls& declared,
                                 const std::string& plugin_dir, const std::string& name,
                                 const std::string& path);

}  // namespace lightrun::config
