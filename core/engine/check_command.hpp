#pragma once

#include "config/value.hpp"
#include "engine/entry.hpp"

#include <lightrun/export.hpp>

#include <string>
#include <vector>

namespace lightrun::engine {

/// What `lightrun check` asks of the engine's library.
struct CheckRequest {
  RunRequest run = {};
  std::vector<config::Problem> problems = {};  ///< that the config has by itself
  std::vector<std::string> files = {};         ///< of the config, in their order
};

inline constexpr const char* kCheckSymbol = "lightrun_check";
using CheckFunction = int(const CheckRequest&);

}  // namespace lightrun::engine

/// Looks for everything that is wrong with a run: the device, the plugin, the model's parameters, model and
/// data; and where nothing is, trains and validates one batch of a model that is thrown away. Writes nothing.
/// Throws all that is wrong in one Error, a line each: UsageError where a flag is among it, else that of the
/// first kind.
extern "C" LIGHTRUN_API int lightrun_check(const lightrun::engine::CheckRequest& request);
