#pragma once

#include "engine/run.hpp"

namespace lightrun::engine {

/// The whole loop, as it is written out in lightrun/event.hpp: from on_fit_start to teardown. On an exception
/// the hooks that were started are ended, and the exception goes on to the caller.
void fit(Run& run);

}  // namespace lightrun::engine
