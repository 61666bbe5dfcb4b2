#pragma once

#include "config/value.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lightrun::report {

/// A config's settings: dotted path ("optimizer.lr", "callbacks.0.monitor") and value as YAML on one line, in
/// the order of the file. A list of plain values is one setting.
using Settings = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] Settings settings_of(const config::Value& config);

/// One setting that not all runs have alike.
struct DifferingSetting {
  std::string path;
  std::vector<std::optional<std::string>> values;  ///< of each run; nothing where it has no such setting
};

/// In the order of the first run that has them. A run without a config (nothing) does not make a difference.
[[nodiscard]] std::vector<DifferingSetting> differing_settings(
    const std::vector<std::optional<Settings>>& configs);

}  // namespace lightrun::report
