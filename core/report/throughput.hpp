#pragma once

#include "report/metrics.hpp"

#include <optional>

namespace lightrun::report {

inline constexpr const char* kSamplesPerSecond = "samples/s";
inline constexpr const char* kStepsPerSecond = "steps/s";

/// How fast a run went, from its rows' steps and times, validations and saving included: samples a second
/// where it is known how many samples a step has on average, else optimizer steps a second. Each value is the
/// mean since the one before, over at least a 400th of the run's time and 20 ms, since rows have whole
/// milliseconds.
[[nodiscard]] Series throughput(const Metrics& metrics, std::optional<double> samples_per_step);

/// The mean over all rows, or nothing where there is no time between them.
[[nodiscard]] std::optional<double> mean_throughput(const Metrics& metrics,
                                                    std::optional<double> samples_per_step);

}  // namespace lightrun::report
