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
  spdlog::warn("{} {}; on_nonfinite: stop or skip would take care of it (further ones are not reported)",
               what, here(run));
}

std::string bad_gradient(const ActiveOptimizer& active) {
  const auto name = optim::first_nonfinite_gradient(active.named_parameters);
  return name ? "the gradient of " + *name + " is not finite" : "the norm of the gradients is not finite";
}

void print_bad_gradients(const ActiveOptimizer& active) {
  for (const auto& [name, parameter] : active.named_parameters) {
    if (!parameter.grad().defined()) continue;
    const auto bad = at::isfinite(parameter.grad()).logical_not().sum().item<int64_t>();
    if (bad > 0) spdlog::warn("gradient of {}: {} of {} values are not finite", name, bad, parameter.numel());
  }
}

optim::NamedTensors named_parameters(const Run& run) {
  optim::NamedTensors named;
  for (const auto& item : run.model->named_parameters()) named.emplace_back(item.key(), item.value());
  return named;
}

}  // namespace

std::optional<config::OnNonfinite> nonfinite_policy(const Run& run) {
  const config::TrainerSpec& trainer = run.spec.trainer;
  return trainer.terminate_on_nan ? config::OnNonfinite::stop : trainer.on_nonfinite;
}

bool loss_to_skip(Run& run, double loss) {
  if (std::isfinite(loss) || nonfinite_policy(run) != config::OnNonfinite::skip) return false;
  spdlog::warn("the loss is {} {}: the batch is left out", text(loss), here(run));
  return true;
}

void check_loss(Run& run, double loss) {
  if (std::isfinite(loss)) return;
  std::string what = "the loss is " + text(loss);
  if (nonfinite_policy(run) == config::OnNonfinite::stop) {
    if (const auto name = optim::first_nonfinite_value(named_parameters(run)))
      what += " (" + *name + " is not finite)";
    stop(run, what);
  }
  warn_once(run, what);
}

bool step_to_skip(Run& run, const ActiveOptimizer& active, double norm) {
  const auto policy = nonfinite_policy(run);
  // A sum of squares can overflow while every gradient is finite: only a bad entry counts.
  const bool is_bad = !std::isfinite(norm) && optim::first_nonfinite_gradient(active.named_parameters);
  if (is_bad && run.spec.trainer.print_nan_grads) print_bad_gradients(active);
  if (is_bad && policy == config::OnNonfinite::stop) stop(run, bad_gradient(active));
  if (policy && !optim::all_finite(active.parameters)) {
    stop(run, *optim::first_nonfinite_value(active.named_parameters) + " is not finite");
  }
  if (is_bad && policy) {
    spdlog::warn("{} {}: the step is left out", bad_gradient(active), here(run));
    return true;
  }
  // Clipping by a norm that is not finite would spoil every weight.
  const bool clips = run.spec.trainer.gradient_clip_val > 0;
  if (std::isfinite(norm) || !clips) return false;
  warn_once(run, bad_gradient(active) + ": the step is left out");
  return true;
}

void check_weights(Run& run) {
  if (!nonfinite_policy(run)) return;
  if (const auto name = optim::first_nonfinite_value(named_parameters(run))) {
    throw NonFiniteError(*name + " is not finite " + here(run) + "; the step before made it so");
  }
}

}  // namespace lightrun::engine
