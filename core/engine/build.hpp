#pragma once

#include "engine/attempt.hpp"
#include "engine/embedded.hpp"
#include "engine/entry.hpp"
#include "engine/run.hpp"

#include <memory>

namespace lightrun::support {
class LinePrinter;
}

namespace lightrun::engine {

/// Makes all parts of a run: device, plugin, model, data, plan, run folder, loggers, callbacks, in this
/// order, so that whatever can be wrong is found before a folder is made. Throws ConfigError, PluginError or
/// RunError.
/// @param printer where the run's callbacks print; it outlives the run
/// @param embedded a model in place of the plugin, more callbacks
/// @param attempt where one catches what a part throws, the run is of no use, but for looking at what else is
/// wrong
[[nodiscard]] std::unique_ptr<Run> build(const RunRequest& request, support::LinePrinter& printer,
                                         Embedded embedded = {}, const Attempt& attempt = call);

/// Makes what `lightrun test` needs: the model with the checkpoint's weights, and its test data. Writes
/// nothing.
[[nodiscard]] std::unique_ptr<Run> build_test(const RunRequest& request, support::LinePrinter& printer);

/// The same for `lightrun predict`.
[[nodiscard]] std::unique_ptr<Run> build_predict(const RunRequest& request, support::LinePrinter& printer);

}  // namespace lightrun::engine
