#pragma once

#include "engine/embedded.hpp"
#include "engine/entry.hpp"

#include <lightrun/context.hpp>

#include <optional>
#include <string>

namespace lightrun::engine {

/// How a training ended, if not by an error.
struct Training {
  std::optional<int> signal;  ///< the one that ended it
  std::string reason;         ///< "max_epochs 3 reached"
  Metrics metrics;            ///< the last value of each
  std::string run_dir;
};

/// One whole run, from the config to the closed files. Throws lightrun::Error.
Training train(const RunRequest& request, Embedded embedded = {});

}  // namespace lightrun::engine
