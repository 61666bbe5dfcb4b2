#pragma once

#include "config/run_spec.hpp"

#include <lightrun/export.hpp>

#include <optional>
#include <string>
#include <vector>

namespace lightrun::engine {

/// What `lightrun train` asks of the engine's library.
struct TrainRequest {
  config::RunSpec spec;
  std::string resolved_config;  ///< config::dump(spec)
  std::vector<std::string> plugin_dirs;
  std::optional<std::string> trace;  ///< file for the hook trace
  bool quiet = false;                ///< warnings and errors only
  bool verbose = false;              ///< the log's details on stderr too
};

/// The executable opens the library only for commands that need LibTorch, and finds these by name.
inline constexpr const char* kTrainSymbol = "lightrun_train";
using TrainFunction = int(const TrainRequest&);

}  // namespace lightrun::engine

/// Trains. The answer is the exit code: 0, or 128 + n after signal n. Everything else is thrown as a
/// lightrun::Error.
extern "C" LIGHTRUN_API int lightrun_train(const lightrun::engine::TrainRequest& request);
