#pragma once

#include "state/checkpoint.hpp"

#include <string>
#include <utility>
#include <vector>

namespace lightrun::engine {

/// What changes in a run beside its tensors, as it is at one instant. A checkpoint that is asked for while a
/// run ends has the run's state from before the endings, so that a resumed run goes on as if it had not
/// ended.
struct RestingPoint {
  state::RunState run = {};
  std::vector<std::pair<std::string, StateDict>> callbacks = {};
  StateDict module = {};
  std::vector<state::Texts> loggers = {};
  StateDict generators = {};
};

}  // namespace lightrun::engine
