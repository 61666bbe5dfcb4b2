#include "engine/step.hpp"

#include "config/scalar.hpp"
#include "engine/forward_precision.hpp"
#include "engine/gradient_histograms.hpp"
#include "engine/nonfinite.hpp"
#include "optim/gradients.hpp"

#include <lightrun/error.hpp>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <cmath>
#include <optional>

namespace lightrun::engine {
namespace {

/// "train_loss", or with several optimizers "train_loss_1".
std::string of_optimizer(const Run& run, const std::string& name, const StepInfo& info) {
  return run.optimizers.size() > 1 ? fmt::format("{}_{}", name, info.optimizer_idx) : name;
}

/// For its lifetime the optimizer's parameters are the flat ones, where there are any.
class OptimizerSeesFlat {
 public:
  explicit OptimizerSeesFlat(const ActiveOptimizer& active) {
    if (active.flat) in_place_.emplace(*active.flat);
  }

 private:
  std::optional<optim::FlatParameters::InPlace> in_place_;
};

/// Joins the parameters that can be. Where they no longer can be, says so once.
void prepare_flat(const Run& run, const ActiveOptimizer& active) {
  if (!active.flat || active.flat->is_over()) return;
  active.flat->prepare();
  if (!active.flat->is_over()) return;
  const bool was_wanted = run.spec.trainer.flat_parameters == config::FlatParameters::always;
  spdlog::log(was_wanted ? spdlog::level::warn : spdlog::level::info,
              "{}a parameter or its gradient was given another memory; from here on the optimizer steps "
              "parameter by parameter, which is slower",
              run.at_setting("trainer.flat_parameters"));
}

/// False: the step must be left out.
bool clipped_and_finite(Run& run, ActiveOptimizer& active) {
  const config::TrainerSpec& trainer = run.spec.trainer;
  if (!reads_gradient_norm(run)) return true;
  const double norm = optim::gradient_norm(active.tensors());
  if (step_to_skip(run, active, norm)) return false;
  if (trainer.gradient_clip_val > 0) {
    optim::clip_gradients(active.tensors(), trainer.gradient_clip_algorithm, trainer.gradient_clip_val, norm);
  }
  return true;
}

}  // namespace

bool reads_gradient_norm(const Run& run) {
  const config::TrainerSpec& trainer = run.spec.trainer;
  return trainer.gradient_clip_val > 0 || trainer.print_nan_grads || nonfinite_policy(run);
}

std::string loss_name(const Run& run, const StepInfo& info) {
  return of_optimizer(run, "train_loss", info);
}

StepResult forward(Run& run, const Batch& split, const StepInfo& info) {
  StepResult result;
  {
    const auto timed = run.bus->work(Event::training_step, info.optimizer_idx, info.split_idx);
    const ForwardPrecision precision(run);
    result = run.model->training_step(split, info);
  }
  if (run.model->overrides().contains(Event::training_step_end)) {
    const auto timed = run.bus->work(Event::training_step_end, info.optimizer_idx, info.split_idx);
    const ForwardPrecision precision(run);
    result = run.model->training_step_end(std::move(result), info);
  }
  if (result.is_skip()) return result;
  if (result.loss.numel() != 1) {
    throw RunError("the loss has shape " + c10::str(result.loss.sizes()) + "; it must be one value");
  }
  if (!result.loss.requires_grad()) {
    throw RunError("the loss does not depend on any parameter that requires grad");
  }
  return result;
}

void backward(Run& run, const torch::Tensor& loss, const StepInfo& info) {
  {
    const auto timed = run.bus->work(Event::backward, info.optimizer_idx, info.split_idx);
    run.model->backward(loss, info);
  }
  run.bus->emit(Event::on_after_backward);
}

bool optimizer_step(Run& run, ActiveOptimizer& active, const StepInfo& info, double correction,
                    bool is_logged) {
  prepare_flat(run, active);
  if (correction != 1) optim::scale_gradients(active.tensors(), correction);
  if (is_logged) log_gradient_norm(run, active, info);
  keep_gradient_histograms(run, active);
  const bool good = clipped_and_finite(run, active);
  if (good) {
    const auto timed = run.bus->work(Event::optimizer_step, info.optimizer_idx, info.split_idx);
    run.between_cuts = true;
    const OptimizerSeesFlat sees_flat(active);
    run.model->optimizer_step(*active.setup.optimizer, {}, info);
  }
  zero_grad(run, active, info);
  return good;
}

void log_gradient_norm(Run& run, const ActiveOptimizer& active, const StepInfo& info) {
  const auto p = run.spec.trainer.track_grad_norm;
  if (!p) return;
  const std::string order = std::isinf(*p) ? "inf" : config::print_double(*p);
  const LogOptions each_step = {.on_step = true};
  std::vector<torch::Tensor> norms;
  for (const auto& [name, parameter] : active.named_parameters) {
    if (!parameter.grad().defined()) continue;
    norms.push_back(parameter.grad().norm(*p));
    run.metrics.log(fmt::format("grad_{}_norm_{}", order, name), norms.back(), each_step);
  }
  if (norms.empty()) return;
  const std::string total = of_optimizer(run, fmt::format("grad_{}_norm_total", order), info);
  run.metrics.log(total, at::stack(norms).norm(*p), each_step);
}

void zero_grad(Run& run, ActiveOptimizer& active, const StepInfo& info) {
  run.bus->emit(Event::on_before_zero_grad);
  const auto timed = run.bus->work(Event::optimizer_zero_grad, info.optimizer_idx, info.split_idx);
  const OptimizerSeesFlat sees_flat(active);
  run.model->optimizer_zero_grad(*active.setup.optimizer, info);
}

}  // namespace lightrun::engine
