#pragma once

#include "config/run_spec.hpp"

#include <lightrun/optimizers.hpp>

#include <torch/optim/optimizer.h>

#include <memory>
#include <vector>

namespace lightrun::optim {

/// LibTorch's optimizer of that name over `parameters`. Those that do not require grad are left out.
[[nodiscard]] std::unique_ptr<torch::optim::Optimizer> make_optimizer(const config::OptimizerSpec& spec,
                                                                      std::vector<torch::Tensor> parameters);

[[nodiscard]] LrSchedule make_schedule(const config::SchedulerSpec& spec);

}  // namespace lightrun::optim
