#include "engine/nonfinite.hpp"

#include "optim/gradients.hpp"

#include <lightrun/error.hpp>

#include <spdlog/spdlog.h>

#include <cmath>
#include <utility>

namespace lightrun::engine {
namespace {

std::string here(const Run& run) {
  return "at epoch " + std::to_string(run.state.epoch) + ", batch " + std::to_string(run.state.batch_idx) +
         ", step " + std::to_string(run.state.global_step) + " (counted from 0)";
}

std::string text(double value) {
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

optim::NamedTensors named_parameters(const Run& run) {
  optim::NamedTensors named;
  for (const auto& item : run.model->named_parameters()) named.emplace_back(item.key(), item.value());
  return named;
}

/// Names a weight that is not finite too: then it was an earlier step that went wrong.
[[noreturn]] void stop(const Run& run, const std::string& what) {
  if (const auto name = optim::first_nonfinite_value(named_parameters(run))) {
    throw NonFiniteError(what + " " + here(run) + ", and " + *name +
                         " is not finite: an earlier step made it so");
  }
  throw NonFiniteError(what + " " + here(run) +
                       "; stopped before the step, the weights are the last good ones");
}

void warn_once(bool& warned, const std::string& text) {
  if (!std::exchange(warned, true)) spdlog::warn("{} (further ones are not reported)", text);
}

/// What is skipped is reported, but not for ever.
void warn_of_skip(Run& run, const std::string& text) {
  constexpr int64_t kMost = 20;
  if (++run.skips_reported < kMost) spdlog::warn("{}", text);
  if (run.skips_reported == kMost) spdlog::warn("{} (further ones are not reported)", text);
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

}  // namespace

std::optional<config::OnNonfinite> nonfinite_policy(const Run& run) {
  const config::TrainerSpec& trainer = run.spec.trainer;
  return trainer.terminate_on_nan ? config::OnNonfinite::stop : trainer.on_nonfinite;
}

bool loss_to_skip(Run& run, double loss) {
  if (std::isfinite(loss) || nonfinite_policy(run) != config::OnNonfinite::skip) return false;
  const std::string what = "the loss is " + text(loss);
  if (optim::first_nonfinite_value(named_parameters(run)))
    stop(run, what);  // the next one would be no better
  warn_of_skip(run, what + " " + here(run) + ": the batch is left out");
  return true;
}

void check_loss(Run& run, double loss) {
  if (std::isfinite(loss)) return;
  const std::string what = "the loss is " + text(loss);
  if (nonfinite_policy(run) == config::OnNonfinite::stop) stop(run, what);
  warn_once(run.warned_of_loss,
            what + " " + here(run) + "; on_nonfinite: stop or skip would take care of it");
}

bool step_to_skip(Run& run, const ActiveOptimizer& active, double norm) {
  const auto policy = nonfinite_policy(run);
  // A sum of squares can overflow while every gradient is finite: only a bad entry counts.
  const bool is_bad = !std::isfinite(norm) && optim::first_nonfinite_gradient(active.named_parameters);
  if (is_bad && run.spec.trainer.print_nan_grads) print_bad_gradients(active);
  if (is_bad && policy == config::OnNonfinite::stop) stop(run, bad_gradient(active));
  if (policy && !optim::all_finite(active.tensors())) {
    const auto name = *optim::first_nonfinite_value(active.named_parameters);
    throw NonFiniteError(name + " is not finite " + here(run) + ": an earlier step made it so");
  }
  if (is_bad && policy) {
    warn_of_skip(run, bad_gradient(active) + " " + here(run) + ": the step is left out");
    return true;
  }
  const bool clips = run.spec.trainer.gradient_clip_val > 0;
  if (std::isfinite(norm) || !clips) return false;
  warn_once(run.warned_of_clip, bad_gradient(active) + " " + here(run) +
                                    ": clipping would spoil every weight with it, so the step is left out");
  return true;
}

bool weights_are_finite(const Run& run) {
  return optim::all_finite(run.model->parameters());
}

void check_weights(Run& run) {
  const auto policy = nonfinite_policy(run);
  if ((!policy && run.warned_of_weights) || weights_are_finite(run)) return;
  const std::string what =
      *optim::first_nonfinite_value(named_parameters(run)) + " is not finite " + here(run);
  if (policy) throw NonFiniteError(what + "; the step before made it so");
  warn_once(run.warned_of_weights, what + "; on_nonfinite: stop would have stopped before it was");
}

}  // namespace lightrun::engine
