#include "engine/gradient_histograms.hpp"

#include "loggers/histogram.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <span>
#include <utility>

namespace lightrun::engine {
namespace {

/// The finite entries, in a row, as doubles on the CPU.
torch::Tensor finite_entries(const torch::Tensor& gradient) {
  torch::Tensor entries = gradient.detach();
  if (entries.layout() != at::kStrided) entries = entries.to_dense();
  if (entries.is_complex()) entries = at::view_as_real(entries);
  entries = entries.to(at::kCPU, at::kDouble).flatten();
  return entries.masked_select(entries.isfinite());
}

loggers::Histogram histogram_of(const torch::Tensor& entries) {
  const std::vector<double>& limits = loggers::all_limits();
  const auto last = static_cast<int64_t>(limits.size()) - 1;
  const torch::Tensor ends = at::tensor(limits, at::kDouble);
  const torch::Tensor places =
      at::bucketize(entries, ends, /*out_int32=*/false, /*right=*/true).clamp_max(last);
  const torch::Tensor counts = at::bincount(places, {}, last + 1).contiguous();
  loggers::Histogram histogram = {.min = entries.min().item<double>(),
                                  .max = entries.max().item<double>(),
                                  .num = static_cast<double>(entries.numel()),
                                  .sum = entries.sum().item<double>(),
                                  .sum_squares = entries.square().sum().item<double>()};
  loggers::set_buckets(histogram,
                       std::span(counts.data_ptr<int64_t>(), static_cast<std::size_t>(counts.numel())));
  return histogram;
}

}  // namespace

void keep_gradient_histograms(Run& run, const ActiveOptimizer& active) {
  const int64_t step = run.state.global_step;
  if (std::ranges::none_of(run.loggers, [&](const auto& logger) { return logger->wants_histograms(step); }))
    return;
  const torch::NoGradGuard no_grad;
  for (const auto& [name, parameter] : active.named_parameters) {
    if (!parameter.grad().defined()) continue;
    const torch::Tensor entries = finite_entries(parameter.grad());
    if (entries.numel() > 0) run.gradient_histograms["gradients/" + name] = histogram_of(entries);
  }
}

void log_gradient_histograms(Run& run, int64_t step) {
  const loggers::Histograms histograms = std::exchange(run.gradient_histograms, {});
  if (histograms.empty()) return;
  for (const auto& logger : run.loggers)
    if (logger->wants_histograms(step)) logger->log_histograms(step, histograms);
}

}  // namespace lightrun::engine
