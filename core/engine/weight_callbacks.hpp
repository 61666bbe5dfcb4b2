#pragma once

#include "engine/run.hpp"

#include <lightrun/callback.hpp>

#include <memory>
#include <string>

/// Callbacks of the config that act on weights and rates; `path` is the entry's ("callbacks.0").
namespace lightrun::engine {

/// Throws ConfigError where the pattern is in no parameter's name, or in all.
[[nodiscard]] std::unique_ptr<Callback> make_freeze(const Run& run, const config::FreezeSpec& spec,
                                                    const std::string& path);
[[nodiscard]] std::unique_ptr<Callback> make_ema(Run& run, const config::EmaSpec& spec);
[[nodiscard]] std::unique_ptr<Callback> make_swa(Run& run, const config::SwaSpec& spec);
/// The run's rows leave the rates to it.
[[nodiscard]] std::unique_ptr<Callback> make_lr_monitor(Run& run, const config::LrMonitorSpec& spec);

}  // namespace lightrun::engine
