#include "engine/training_batch.hpp"

#include "engine/active_parameters.hpp"
#include "engine/forward_precision.hpp"
#include "engine/gradient_histograms.hpp"
#include "engine/hiddens.hpp"
#include "engine/loss_closure.hpp"
#include "engine/nonfinite.hpp"
#include "engine/own_gradients.hpp"
#include "engine/step.hpp"
#include "schedule/turn.hpp"
#include "schedule/window.hpp"

#include <lightrun/error.hpp>

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <utility>

namespace lightrun::engine {
namespace {

/// One batch on its way through its splits and optimizers.
class BatchTraining {
 public:
  BatchTraining(Run& run, bool is_last)
      : run_(run),
        window_(run.state.window),
        is_last_(is_last),
        factor_(schedule::accumulation_factor(run.plan.accumulation, run.state.epoch)) {
    if (window_.batches == 0) open_window();
    must_close_ = is_last || schedule::turn_ends(run.frequencies, run.state.batches_seen);
    closes_ = schedule::closes_window(window_.batches + 1, factor_, must_close_);
    parts_.resize(run.optimizers.size());
  }

  /// Whether an optimizer step was done, of each optimizer.
  std::vector<bool> train(const Batch& batch) {
    std::vector<c10::IValue> hiddens(run_.optimizers.size());
    StepInfo info{
        .epoch = run_.state.epoch, .batch_idx = run_.state.batch_idx, .global_step = run_.state.global_step};
    if (batch.empty()) return finish(info);
    if (!run_.spec.trainer.truncated_bptt_steps) {
      train_split(batch, hiddens, info);
      return finish(info);
    }
    for (const Batch& split : splits(batch)) {
      train_split(split, hiddens, info);
      ++info.split_idx;
    }
    return finish(info);
  }

 private:
  void open_window() {
    const bool fixed = run_.spec.trainer.accumulation_divisor == config::AccumulationDivisor::fixed;
    const int64_t planned = schedule::planned_window(run_.state.batch_idx, factor_, run_.plan.train_batches);
    window_.divisor = static_cast<double>(fixed ? factor_ : planned);
    window_.gathered.assign(run_.optimizers.size(), 0);
    window_.weights.assign(run_.optimizers.size(), 0);
  }

  std::vector<Batch> splits(const Batch& batch) {
    const auto timed = run_.bus->work(Event::tbptt_split_batch);
    return run_.model->tbptt_split_batch(batch, *run_.spec.trainer.truncated_bptt_steps);
  }

  /// One split on its way through the optimizers.
  /// @param hiddens of each optimizer: from the split before, and then for the next one
  void train_split(const Batch& split, std::vector<c10::IValue>& hiddens, StepInfo& info) {
    for (std::size_t i = 0; i < run_.optimizers.size(); ++i) {
      if (!schedule::optimizer_is_due(i, run_.frequencies, run_.state.batches_seen)) continue;
      info.optimizer_idx = static_cast<int64_t>(i);
      info.hiddens = hiddens[i];
      hiddens[i] = train_with(run_.optimizers[i], split, info);
    }
  }

  /// Forward, backward and, where the window closes, the step of one optimizer on one split. The hidden state
  /// for the next split.
  c10::IValue train_with(ActiveOptimizer& active, const Batch& split, const StepInfo& info) {
    std::optional<ActiveParameters> only_its_own;
    if (run_.optimizers.size() > 1) only_its_own.emplace(run_.model->parameters(), active.parameters);
    const OwnGradients own_gradients(active);
    if (active.evaluates_loss()) return step_by_closure(split, active, info);

    const StepResult result = forward(run_, split, info);
    if (result.is_skip()) return info.hiddens;
    const double loss = result.loss.item<double>();
    if (loss_to_skip(run_, loss)) return info.hiddens;
    const torch::Tensor share = share_of_window(result, info);
    run_.metrics.log_loss(loss_name(run_, info), loss);
    if (window_.batches > 0)
      run_.between_cuts = true;  // what the window holds is no longer all of one instant
    backward(run_, share, info);
    check_loss(run_, loss);
    if (closes_) step(active, info);
    return detached(result.hiddens);
  }

  c10::IValue step_by_closure(const Batch& split, ActiveOptimizer& active, const StepInfo& info) {
    LossClosure closure(run_, active, split, info);
    if (!closure.step()) return info.hiddens;
    Part& part = parts_[index_of(info)];
    ++part.splits;
    part.stepped = true;
    return detached(closure.hiddens());
  }

  /// The loss as its share of the window's mean, and noted as part of it.
  torch::Tensor share_of_window(const StepResult& result, const StepInfo& info) {
    const std::size_t i = index_of(info);
    Part& part = parts_[i];
    const bool is_first = window_.gathered[i] == 0 && part.splits == 0;
    const bool window_has_weights = window_.weights[i] > 0 || part.weights > 0;
    if (!is_first && window_has_weights != result.weight.has_value()) {
      throw RunError("in one accumulation window some losses have a weight and some have none");
    }
    if (result.weight && !(*result.weight > 0)) {
      throw RunError(fmt::format("a StepResult's weight must be positive, it is {}", *result.weight));
    }
    ++part.splits;
    part.weights += result.weight.value_or(0);
    part.last_weight = result.weight.value_or(0);
    if (result.weight) return result.loss * *result.weight;
    return window_.divisor == 1 ? result.loss : result.loss / window_.divisor;
  }

  /// What the gathered gradients must still be multiplied by to be the mean over the batches that brought
  /// some, by their weights where they have any. Of a batch in splits, each split stands for the whole batch.
  double correction(const StepInfo& info) {
    const std::size_t i = index_of(info);
    const double weights = window_.weights[i] + parts_[i].last_weight;
    if (weights > 0) return 1 / weights;
    if (run_.spec.trainer.accumulation_divisor == config::AccumulationDivisor::fixed) return 1;
    return window_.divisor / static_cast<double>(window_.gathered[i] + (parts_[i].splits > 0 ? 1 : 0));
  }

  void step(ActiveOptimizer& active, const StepInfo& info) {
    const bool ends_the_run = run_.plan.max_steps_reached(run_.state.global_step + 1);
    const bool is_logged = run_.plan.log_due(run_.state.global_step, is_last_ || ends_the_run);
    if (optimizer_step(run_, active, info, correction(info), is_logged))
      parts_[index_of(info)].stepped = true;
  }

  /// Whether an optimizer step was done, of each optimizer.
  std::vector<bool> finish(StepInfo& info) {
    const bool trained = std::ranges::any_of(parts_, [](const Part& part) { return part.splits > 0; });
    const bool closes = trained ? closes_ : must_close_ && window_.batches > 0;
    if (!closes) {
      for (std::size_t i = 0; i < parts_.size(); ++i) take_into_window(i);
      if (trained) ++window_.batches;
      return std::vector<bool>(parts_.size());
    }
    step_what_was_gathered(info);
    window_.batches = 0;
    run_.metrics.close_window();
    std::vector<bool> stepped;
    for (const Part& part : parts_) stepped.push_back(part.stepped);
    return stepped;
  }

  void take_into_window(std::size_t i) {
    const Part& part = parts_[i];
    if (part.splits == 0) return;
    ++window_.gathered[i];
    window_.weights[i] += part.weights / static_cast<double>(part.splits);
  }

  /// Of optimizers whose part in the window's last batch was skipped: what the batches before it brought.
  void step_what_was_gathered(StepInfo& info) {
    for (std::size_t i = 0; i < run_.optimizers.size(); ++i) {
      if (parts_[i].splits > 0 || window_.gathered[i] == 0) continue;
      info.optimizer_idx = static_cast<int64_t>(i);
      const OwnGradients own_gradients(run_.optimizers[i]);
      step(run_.optimizers[i], info);
    }
  }

  static std::size_t index_of(const StepInfo& info) { return static_cast<std::size_t>(info.optimizer_idx); }

  /// What one optimizer has had of this batch.
  struct Part {
    int64_t splits = 0;  ///< that were not skipped
    double weights = 0;  ///< of their losses; 0: they have none
    double last_weight = 0;
    bool stepped = false;
  };

  Run& run_;
  state::Window& window_;
  bool is_last_;
  int64_t factor_;
  bool must_close_ = false;  ///< the window, also if this batch is skipped
  bool closes_ = false;      ///< the window, if this batch is not skipped
  std::vector<Part> parts_;  ///< of each optimizer
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

/// From here on the batch is in the weights, whatever its last hooks do.
void note_trained(Run& run, state::TrainedBatch trained) {
  run.state.trained = std::move(trained);
  log_gradient_histograms(run, run.state.global_step);
}

}  // namespace

void close_window(Run& run) {
  note_trained(run, {.stepped = BatchTraining(run, /*is_last=*/true).train({}), .skip_epoch = true});
}

void train_batch(Run& run, const Batch& batch, bool is_last) {
  const ShownBatch shown(run, batch);
  run.requests.skip_epoch = false;
  run.metrics.begin_batch(MetricStore::Scope::training, batch.size());
  if (batch.empty()) {
    note_trained(run, {.stepped = BatchTraining(run, is_last).train(batch)});
  } else if (!run.bus->open_unless(Phase::batch, run.requests.skip_epoch)) {
    note_trained(run, {.stepped = BatchTraining(run, /*is_last=*/true).train({}), .skip_epoch = true});
  } else {
    auto stepped = BatchTraining(run, is_last).train(batch);
    note_trained(run, {.stepped = std::move(stepped), .samples = batch.size()});
    run.bus->close(Phase::batch);
  }
  run.state.trained->measured = run.metrics.step_values();
}

}  // namespace lightrun::engine
