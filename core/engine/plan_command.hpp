#pragma once

#include "engine/entry.hpp"

#include <lightrun/export.hpp>

namespace lightrun::engine {

/// What `lightrun plan` asks of the engine's library.
struct PlanRequest {
  RunRequest run = {};
  bool hooks = false;  ///< every hook of the first epoch, too
};

inline constexpr const char* kPlanSymbol = "lightrun_plan";
using PlanFunction = int(const PlanRequest&);

}  // namespace lightrun::engine

/// Prints what a run would do, from the plan that the engine would follow. Trains and writes nothing, but for
/// the hooks to the file of `--trace`. Throws what training would before its first batch.
extern "C" LIGHTRUN_API int lightrun_plan(const lightrun::engine::PlanRequest& request);
