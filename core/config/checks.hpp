#pragma once

#include "config/field.hpp"
#include "config/run_spec.hpp"

namespace lightrun::config {

/// What single settings cannot show: those that do not go together, and those that probably mean something
/// else (warnings). Settings that have a problem of their own already are left out.
void check_together(const RunSpec& spec, Findings& findings);

/// Whether any epoch has more than one batch an optimizer step.
[[nodiscard]] bool accumulates(const TrainerSpec& trainer);

/// Puts what a gradient_accumulation_scheduler says into trainer.accumulate_grad_batches, which is what the
/// run follows. Both given is a problem, unless they say the same (as the dump of a config does).
void take_up_accumulation(RunSpec& spec, Findings& findings);

}  // namespace lightrun::config
