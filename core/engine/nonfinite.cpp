#include "engine/nonfinite.hpp"

#include "optim/gradients.hpp"

#include <lightrun/error.hpp>

#include <spdlog/spdlog.h>

#include <cmath>

namespace lightrun::engine {
namespace {

std::string here(const Run& run) {
  return "at epoch " + std::to_string(run.state.epoch) + ", batch " + std::to_string(run.state.batch_idx) +
         ", step " + std::to_string(run.state.global_step) + " (counted from 0)";
}

std::string text(double value) {
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

[[noreturn]] void stop(const Run& run, const std::string& what) {
  throw NonFiniteError(what + " " + here(run) +
                       "; stopped before the step, the weights are the last good ones");
}

void warn_once(Run& run, const std::string& what) {
  if (run.warned_nonfinite) return;
  run.warned_nonfinite = true;
  spdlog::warn("{} {}; terminate_on_nan: true would stop here (further ones are not reported)", what,
               here(run));
}

std::string bad_gradient(const ActiveOptimizer& active) {
  const auto name = optim::first_nonfinite_gradient(active.named_parameters);
  return name ? "the gradient of " + *name + " is not finite" : "the norm of the gradients is not finite";
}

optim::NamedTensors named_parameters(const Run& run) {
  optim::NamedTensors named;
  for (const auto& item : run.model->named_parameters()) named.emplace_back(item.key(), item.value());
  return named;
}

}  // namespace

void check_loss(Run& run, double loss) {
  if (std::isfinite(loss)) return;
  const std::string what = "the loss is " + text(loss);
  if (run.spec.trainer.terminate_on_nan) stop(run, what);
  warn_once(run, what);
}

void check_before_step(Run& run, const ActiveOptimizer& active, double norm) {
  // A sum of squares can overflow while every gradient is finite: only a bad entry stops the run.
  if (!std::isfinite(norm) && optim::first_nonfinite_gradient(active.named_parameters))
    stop(run, bad_gradient(active));
  if (const auto name = optim::first_nonfinite_value(active.named_parameters))
    stop(run, *name + " is not finite");
}

void check_weights(Run& run) {
  if (!run.spec.trainer.terminate_on_nan) return;
  if (const auto name = optim::first_nonfinite_value(named_parameters(run))) {
    throw NonFiniteError(*name + " is not finite " + here(run) + "; the step before made it so");
  }
}

bool spoiled_by_clipping(Run& run, const ActiveOptimizer& active, double norm) {
  if (std::isfinite(norm)) return false;
  warn_once(run, bad_gradient(active) + ": the step is left out");
  return true;
}

}  // namespace lightrun::engine
