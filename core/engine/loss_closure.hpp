#pragma once

#include "engine/run.hpp"

#include <lightrun/batch.hpp>
#include <lightrun/step.hpp>

#include <torch/types.h>

#include <vector>

namespace lightrun::engine {

/// One step of an optimizer that evaluates the loss itself (LBFGS), on one split. Each evaluation clears the
/// gradients, runs training_step and backward. (In Lightning 0.9 one evaluation came too many, and gradients
/// added up.)
class LossClosure {
 public:
  LossClosure(Run& run, ActiveOptimizer& active, const Batch& split, const StepInfo& info);

  /// optimizer_step with this closure, then zero_grad. False: the batch was skipped by the model, or under
  /// `on_nonfinite: skip`; the weights are as before. Throws NonFiniteError likewise with the weights as
  /// before.
  [[nodiscard]] bool step();

  /// What the last evaluation's StepResult carried.
  [[nodiscard]] const c10::IValue& hiddens() const { return hiddens_; }

 private:
  struct Skipped {};

  torch::Tensor evaluate();
  void restore_weights();

  Run& run_;
  ActiveOptimizer& active_;
  const Batch& split_;
  const StepInfo& info_;
  c10::IValue hiddens_;
  int64_t evaluations_ = 0;
  std::vector<torch::Tensor> weights_before_;  ///< only where a policy for NaN asks for it
};

}  // namespace lightrun::engine
