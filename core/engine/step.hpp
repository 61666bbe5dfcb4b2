#pragma once

#include "engine/run.hpp"

#include <lightrun/batch.hpp>
#include <lightrun/step.hpp>

#include <string>

/// The pieces of one training step, each with its hooks.
namespace lightrun::engine {

/// training_step and training_step_end. Throws RunError where the loss is not one value that requires grad.
[[nodiscard]] StepResult forward(Run& run, const Batch& split, const StepInfo& info);

/// backward and on_after_backward.
void backward(Run& run, const torch::Tensor& loss, const StepInfo& info);

/// "train_loss", or with several optimizers "train_loss_1".
[[nodiscard]] std::string loss_name(const Run& run, const StepInfo& info);

/// Scales the gathered gradients by `correction`, then: norm and histograms logged, finite check, clip,
/// optimizer_step, zero_grad.
/// @param is_logged whether the norm of the gradients is wanted
/// @return whether the step was done; false: gradients that are not finite, the weights are as before
[[nodiscard]] bool optimizer_step(Run& run, ActiveOptimizer& active, const StepInfo& info, double correction,
                                  bool is_logged);

/// Logs the norm of the optimizer's gradients, total and of each parameter, where trainer.track_grad_norm is
/// on.
void log_gradient_norm(Run& run, const ActiveOptimizer& active, const StepInfo& info);

/// Whether a step needs to know the norm of its gradients: to clip, or to see that they are finite.
[[nodiscard]] bool reads_gradient_norm(const Run& run);

/// on_before_zero_grad and optimizer_zero_grad.
void zero_grad(Run& run, ActiveOptimizer& active, const StepInfo& info);

}  // namespace lightrun::engine
