#pragma once

#include "config/field.hpp"
#include "config/run_spec.hpp"

namespace lightrun::config {

/// What single settings cannot show: those that do not go together, and those that probably mean something
/// else (warnings). Settings that have a problem of their own already are left out.
void check_together(const RunSpec& spec, Findings& findings);

/// Whether any epoch has more than one batch an optimizer step.
[[nodiscard]] bool accumulates(const TrainerSpec& trainer);

}  // namespace lightrun::config
