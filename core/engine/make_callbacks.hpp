#pragma once

#include "engine/attempt.hpp"
#include "engine/entry.hpp"
#include "engine/run.hpp"

namespace lightrun::support {
class LinePrinter;
}

namespace lightrun::engine {

/// The callbacks of the config, in its order; a model_checkpoint with its defaults, where there is none and
/// checkpoints are wanted; and those that print, unless the request is quiet.
/// @param attempt makes each of them; see build()
void add_callbacks(Run& run, const RunRequest& request, support::LinePrinter& printer,
                   std::vector<std::unique_ptr<Callback>> more, const Attempt& attempt);

/// Those that print during a test or a prediction.
void add_evaluation_callbacks(Run& run, const RunRequest& request, support::LinePrinter& printer);

}  // namespace lightrun::engine
