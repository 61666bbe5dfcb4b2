#pragma once

#include <string>

namespace lightrun::engine {

struct Run;

/// Finalizes every logger, once, also where one throws: then the first error is thrown when all are done, and
/// the others are in the log.
/// @param status how the run has ended
void finish_loggers(Run& run, const std::string& status);

}  // namespace lightrun::engine
