#include "engine/training_batch.hpp"

#include "engine/active_parameters.hpp"
#include "engine/hiddens.hpp"
#include "engine/nonfinite.hpp"
#include "optim/gradients.hpp"
#include "schedule/turn.hpp"
#include "schedule/window.hpp"

#include <lightrun/error.hpp>

namespace lightrun::engine {
namespace {

/// One batch on its way through its splits and optimizers.
class BatchTraining {
 public:
  BatchTraining(Run& run, bool is_last) : run_(run), window_(run.state.window), is_last_(is_last) {
    factor_ = schedule::accumulation_factor(run.plan.accumulation, run.state.epoch);
    if (window_.batches == 0) open_window();
    closes_ = schedule::closes_window(window_.batches + 1, factor_, is_last);
  }

  /// Whether an optimizer step was done.
  bool train(const Batch& batch) {
    std::vector<c10::IValue> hiddens(run_.optimizers.size());
    StepInfo info{
        .epoch = run_.state.epoch, .batch_idx = run_.state.batch_idx, .global_step = run_.state.global_step};
    for (const Batch& split : splits(batch)) {
      for (std::size_t i = 0; i < run_.optimizers.size(); ++i) {
        if (!schedule::optimizer_is_due(i, run_.frequencies, run_.state.batches_seen)) continue;
        info.optimizer_idx = static_cast<int64_t>(i);
        info.hiddens = hiddens[i];
        hiddens[i] = train_split(split, run_.optimizers[i], info);
      }
      ++info.split_idx;
    }
    return finish(info);
  }

 private:
  void open_window() {
    const bool fixed = run_.spec.trainer.accumulation_divisor == config::AccumulationDivisor::fixed;
    const int64_t planned = schedule::planned_window(run_.state.batch_idx, factor_, run_.plan.train_batches);
    window_.divisor = static_cast<double>(fixed ? factor_ : planned);
    window_.weights.assign(run_.optimizers.size(), 0);
  }

  std::vector<Batch> splits(const Batch& batch) {
    if (batch.empty()) return {};
    if (!run_.spec.trainer.truncated_bptt_steps) return {batch};
    run_.bus->work(Event::tbptt_split_batch);
    return run_.model->tbptt_split_batch(batch, *run_.spec.trainer.truncated_bptt_steps);
  }

  /// Forward, backward and, where the window closes, the step of one optimizer on one split. The hidden state
  /// for the next split.
  c10::IValue train_split(const Batch& split, ActiveOptimizer& active, const StepInfo& info) {
    std::optional<ActiveParameters> only_its_own;
    if (run_.optimizers.size() > 1) only_its_own.emplace(run_.model->parameters(), active.parameters);

    const StepResult result = forward(split, info);
    if (result.is_skip()) return info.hiddens;
    trained_ = true;
    const double loss = result.loss.item<double>();
    run_.metrics.log_loss(loss_name(info), loss);

    run_.bus->work(Event::backward, info.optimizer_idx, info.split_idx);
    run_.model->backward(scaled(result, info), info);
    run_.bus->emit(Event::on_after_backward);
    check_loss(run_, loss);
    if (closes_) step(active, info);
    return detached(result.hiddens);
  }

  StepResult forward(const Batch& split, const StepInfo& info) {
    run_.bus->work(Event::training_step, info.optimizer_idx, info.split_idx);
    StepResult result = run_.model->training_step(split, info);
    if (run_.model->overrides().contains(Event::training_step_end)) {
      run_.bus->work(Event::training_step_end, info.optimizer_idx, info.split_idx);
      result = run_.model->training_step_end(std::move(result), info);
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

  [[nodiscard]] std::string loss_name(const StepInfo& info) const {
    return run_.optimizers.size() == 1 ? "train_loss" : "train_loss_" + std::to_string(info.optimizer_idx);
  }

  /// The loss as its share of the window's mean.
  torch::Tensor scaled(const StepResult& result, const StepInfo& info) {
    double& gathered = window_.weights[static_cast<std::size_t>(info.optimizer_idx)];
    if (result.weight) {
      if (!(*result.weight > 0)) throw RunError("a StepResult's weight is " + std::to_string(*result.weight));
      gathered += *result.weight;
      return result.loss * *result.weight;
    }
    if (gathered != 0)
      throw RunError("in one accumulation window some losses have a weight and some have none");
    return window_.divisor == 1 ? result.loss : result.loss / window_.divisor;
  }

  /// What the gathered gradients must still be multiplied by to be the window's mean.
  double correction(const StepInfo& info, int64_t batches) {
    double& gathered = window_.weights[static_cast<std::size_t>(info.optimizer_idx)];
    if (gathered != 0) return 1 / std::exchange(gathered, 0);
    if (run_.spec.trainer.accumulation_divisor == config::AccumulationDivisor::fixed) return 1;
    return window_.divisor / static_cast<double>(batches);
  }

  void step(ActiveOptimizer& active, const StepInfo& info, int64_t batches_besides_window = 1) {
    const double factor = correction(info, window_.batches + batches_besides_window);
    if (factor != 1) optim::scale_gradients(active.parameters, factor);
    if (!clipped_and_finite(active)) return zero_grad(active, info);
    run_.bus->work(Event::optimizer_step, info.optimizer_idx, info.split_idx);
    run_.model->optimizer_step(*active.setup.optimizer, info);
    zero_grad(active, info);
  }

  /// False: the step must be left out.
  bool clipped_and_finite(ActiveOptimizer& active) {
    const config::TrainerSpec& trainer = run_.spec.trainer;
    const bool clips = trainer.gradient_clip_val > 0;
    if (!clips && !trainer.terminate_on_nan) return true;
    const double norm = optim::gradient_norm(active.parameters);
    if (trainer.terminate_on_nan) check_before_step(run_, active, norm);
    if (!clips) return true;
    if (spoiled_by_clipping(run_, active, norm)) return false;
    optim::clip_gradients(active.parameters, trainer.gradient_clip_algorithm, trainer.gradient_clip_val,
                          norm);
    return true;
  }

  void zero_grad(ActiveOptimizer& active, const StepInfo& info) {
    run_.bus->emit(Event::on_before_zero_grad);
    run_.bus->work(Event::optimizer_zero_grad, info.optimizer_idx, info.split_idx);
    run_.model->optimizer_zero_grad(*active.setup.optimizer, info);
  }

  bool finish(StepInfo& info) {
    if (trained_) ++window_.batches;
    const bool left_open_by_a_skip = !trained_ && is_last_ && window_.batches > 0;
    if (left_open_by_a_skip) step_what_was_gathered(info);
    const bool done = (trained_ && closes_) || left_open_by_a_skip;
    if (done) window_.batches = 0;
    return done;
  }

  /// The epoch's last batch was skipped: its window closes with what the batches before it brought.
  void step_what_was_gathered(StepInfo& info) {
    for (std::size_t i = 0; i < run_.optimizers.size(); ++i) {
      if (!schedule::optimizer_is_due(i, run_.frequencies, run_.state.batches_seen)) continue;
      info.optimizer_idx = static_cast<int64_t>(i);
      step(run_.optimizers[i], info, 0);
    }
  }

  Run& run_;
  state::Window& window_;
  bool is_last_;
  int64_t factor_ = 1;
  bool closes_ = false;
  bool trained_ = false;
};

/// Shows a batch to hooks for as long as it is there.
class ShownBatch {
 public:
  ShownBatch(Run& run, const Batch& batch) : run_(run) { run_.batch = &batch; }
  ~ShownBatch() { run_.batch = nullptr; }
  ShownBatch(const ShownBatch&) = delete;
  ShownBatch& operator=(const ShownBatch&) = delete;

 private:
  Run& run_;
};

}  // namespace

BatchOutcome train_batch(Run& run, const Batch& batch, bool is_last) {
  const ShownBatch shown(run, batch);
  run.requests.skip_epoch = false;
  run.metrics.begin_batch(MetricStore::Scope::training, batch.size());
  if (!run.bus->open_unless(Phase::batch, run.requests.skip_epoch)) return BatchOutcome::skip_epoch;
  const bool step_done = BatchTraining(run, is_last).train(batch);
  run.bus->close(Phase::batch);
  return step_done ? BatchOutcome::step_done : BatchOutcome::window_open;
}

}  // namespace lightrun::engine
