#pragma once

#include "config/run_spec.hpp"
#include "optim/gradients.hpp"

#include <lightrun/optimizers.hpp>

#include <torch/optim/optimizer.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lightrun::optim {

/// A group of parameters has none, or its pattern fits no name.
struct EmptyGroup {
  std::size_t group;               ///< which of the config's
  std::vector<std::string> names;  ///< of all parameters that there are
};

/// LibTorch's optimizer of that name over `parameters`, in the config's groups, then those that are in none.
/// Parameters that do not require grad are left out. Throws EmptyGroup.
[[nodiscard]] std::unique_ptr<torch::optim::Optimizer> make_optimizer(const config::OptimizerSpec& spec,
                                                                      NamedTensors parameters);

/// A schedule is to last for the whole run, whose length nobody knows.
struct UnknownLength {
  std::string setting;  ///< "t_max": what would have to be given
};

/// The config's schedule, after its warm-up.
/// @param length how often it will advance in the whole run, without the warm-up; for settings that are left
/// out. Throws UnknownLength where it is needed and not there, or not positive.
[[nodiscard]] LrSchedule make_schedule(const config::SchedulerSpec& spec, std::optional<int64_t> length);

}  // namespace lightrun::optim
