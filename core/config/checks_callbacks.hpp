#pragma once

#include "config/field.hpp"
#include "config/run_spec.hpp"

#include <functional>
#include <string>
#include <vector>

namespace lightrun::config {

/// Says that the settings at `paths` do not go together.
using Refuse = std::function<void(const std::vector<std::string>& paths, const std::string& why)>;

/// Checks callbacks against each other and against the rest of the config.
void check_callbacks(const RunSpec& spec, const Refuse& refuse);

}  // namespace lightrun::config
