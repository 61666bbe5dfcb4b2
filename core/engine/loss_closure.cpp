#include "engine/loss_closure.hpp"

#include "engine/gradient_histograms.hpp"
#include "engine/nonfinite.hpp"
#include "engine/step.hpp"
#include "optim/gradients.hpp"

#include <lightrun/error.hpp>

#include <ATen/core/grad_mode.h>

namespace lightrun::engine {

LossClosure::LossClosure(Run& run, ActiveOptimizer& active, const Batch& split, const StepInfo& info)
    : run_(run), active_(active), split_(split), info_(info) {
  if (!nonfinite_policy(run)) return;
  for (const auto& parameter : active.parameters) weights_before_.push_back(parameter.detach().clone());
}

torch::Tensor LossClosure::evaluate() {
  const at::AutoGradMode with_gradients(true);
  active_.setup.optimizer->zero_grad();
  const StepResult result = forward(run_, split_, info_);
  if (result.is_skip()) {
    if (evaluations_ == 0) throw Skipped();
    throw RunError("training_step skipped a batch in the middle of an optimizer's step, after " +
                   std::to_string(evaluations_) + " evaluations of it");
  }
  const double loss = result.loss.item<double>();
  if (loss_to_skip(run_, loss)) throw Skipped();
  if (evaluations_++ == 0) run_.metrics.log_loss(loss_name(run_, info_), loss);
  backward(run_, result.loss, info_);
  check_loss(run_, loss);
  if (reads_gradient_norm(run_) && step_to_skip(run_, active_, optim::gradient_norm(active_.parameters)))
    throw Skipped();
  hiddens_ = result.hiddens;
  return result.loss.detach();
}

bool LossClosure::step() {
  bool done = true;
  try {
    const auto timed = run_.bus->work(Event::optimizer_step, info_.optimizer_idx, info_.split_idx);
    run_.between_cuts = true;
    run_.model->optimizer_step(
        *active_.setup.optimizer, [this] { return evaluate(); }, info_);
  } catch (const Skipped&) {
    restore_weights();
    done = false;
  } catch (const NonFiniteError&) {
    restore_weights();
    throw;
  }
  if (done) log_gradient_norm(run_, active_, info_);
  if (done) keep_gradient_histograms(run_, active_);
  zero_grad(run_, active_, info_);
  return done;
}

/// What the optimizer remembers of the step it did not end goes with it.
void LossClosure::restore_weights() {
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < weights_before_.size(); ++i) active_.parameters[i].copy_(weights_before_[i]);
  if (evaluations_ > 0) active_.setup.optimizer->state().clear();
}

}  // namespace lightrun::engine
