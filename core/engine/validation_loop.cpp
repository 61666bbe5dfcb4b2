#include "engine/validation_loop.hpp"

#include "engine/module_modes.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>

#include <mutex>

namespace lightrun::engine {
namespace {

/// The CPU's random numbers go on as if nothing had been drawn meanwhile.
class SameRandomNumbers {
 public:
  SameRandomNumbers() : generator_(at::detail::getDefaultCPUGenerator()) {
    const std::lock_guard lock(generator_.mutex());
    state_ = generator_.get_state();
  }
  ~SameRandomNumbers() {
    const std::lock_guard lock(generator_.mutex());
    generator_.set_state(state_);
  }
  SameRandomNumbers(const SameRandomNumbers&) = delete;
  SameRandomNumbers& operator=(const SameRandomNumbers&) = delete;

 private:
  at::Generator generator_;
  at::Tensor state_;
};

void validate_batch(Run& run, const Batch& batch) {
  run.batch = &batch;
  run.metrics.begin_batch(MetricStore::Scope::validation, batch.size());
  run.bus->open(Phase::validation_batch);
  run.bus->work(Event::validation_step);
  run.model->validation_step(
      batch,
      {.epoch = run.state.epoch, .batch_idx = run.val_batch_idx, .global_step = run.state.global_step});
  run.bus->close(Phase::validation_batch);
  run.batch = nullptr;
}

void validate_batches(Run& run, std::optional<int64_t> limit) {
  run.val_loader->start_epoch(0, limit);
  run.val_batch_idx = 0;
  while (const auto batch = run.val_loader->next()) {
    if (!batch->empty()) validate_batch(run, batch->to(run.device));
    ++run.val_batch_idx;
  }
}

/// The part that a validation and a sanity check share. What the metrics are over it, if they are to be kept.
Metrics validation_epoch(Run& run, std::optional<int64_t> limit, bool keep_metrics) {
  const SameRandomNumbers same_random_numbers;
  Metrics values;
  run.bus->open(Phase::validation_epoch);
  {
    const EvalMode eval_mode(*run.model);
    const at::NoGradGuard no_grad;
    validate_batches(run, limit);
    values = run.metrics.end_epoch(MetricStore::Scope::validation, keep_metrics);
    run.bus->emit(Event::validation_epoch_end);
  }
  run.bus->close(Phase::validation_epoch);
  return values;
}

}  // namespace

void validate_if_due(Run& run) {
  if (!run.plan.validates()) return;
  run.stage = Stage::validating;
  run.bus->open(Phase::validation);
  const Metrics values = validation_epoch(run, run.plan.val_batches, true);
  run.bus->close(Phase::validation);
  run.log_row(run.state.global_step, values);
  run.stage = Stage::training;
}

void check_sanity(Run& run) {
  if (run.plan.sanity_batches == 0) return;
  run.stage = Stage::sanity_checking;
  run.bus->open(Phase::sanity_check);
  validation_epoch(run, run.plan.sanity_batches, false);
  run.bus->close(Phase::sanity_check);
  run.stage = Stage::setting_up;
}

}  // namespace lightrun::engine
