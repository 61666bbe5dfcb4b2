#include "engine/evaluation.hpp"

#include "engine/forward_precision.hpp"
#include "engine/module_modes.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>

#include <mutex>

namespace lightrun::engine {
namespace {

/// What differs between a validation and a test.
struct Kind {
  Phase epoch;
  Phase batch;
  Event step;
  Event epoch_end;
  void (Module::*run_step)(const Batch&, const StepInfo&);
};
constexpr Kind kValidation = {Phase::validation_epoch, Phase::validation_batch, Event::validation_step,
                              Event::validation_epoch_end, &Module::validation_step};
constexpr Kind kTest = {Phase::test_epoch, Phase::test_batch, Event::test_step, Event::test_epoch_end,
                        &Module::test_step};

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

void evaluate_batch(Run& run, const Kind& kind, const Batch& batch) {
  run.batch = &batch;
  run.metrics.begin_batch(MetricStore::Scope::validation, batch.size());
  run.bus->open(kind.batch);
  {
    const auto timed = run.bus->work(kind.step);
    const ForwardPrecision precision(run);
    ((*run.model).*kind.run_step)(
        batch,
        {.epoch = run.state.epoch, .batch_idx = run.val_batch_idx, .global_step = run.state.global_step});
  }
  run.bus->close(kind.batch);
  run.batch = nullptr;
}

void evaluate_batches(Run& run, const Kind& kind, data::Loader& loader, std::optional<int64_t> limit) {
  loader.start_epoch(0, limit);
  run.val_batch_idx = 0;
  while (!run.interrupted()) {
    std::optional<Batch> batch;
    {
      const Profiler::Timed timed(run.profiler.get(), "get_val_batch");
      batch = loader.next();
      if (batch) *batch = on_device(run, *batch);
    }
    if (!batch) return;
    if (!batch->empty()) evaluate_batch(run, kind, *batch);
    ++run.val_batch_idx;
  }
}

/// From the epoch's start to its end. What the metrics are over it, if they are to be kept.
Metrics evaluate(Run& run, const Kind& kind, data::Loader& loader, std::optional<int64_t> limit,
                 bool keep_metrics) {
  const SameRandomNumbers same_random_numbers;
  Metrics values;
  run.bus->open(kind.epoch);
  {
    const EvalMode eval_mode(*run.model);
    const at::NoGradGuard no_grad;
    evaluate_batches(run, kind, loader, limit);
    values = run.metrics.end_epoch(MetricStore::Scope::validation, keep_metrics && !run.interrupted());
    run.bus->emit(kind.epoch_end);
  }
  run.bus->close(kind.epoch);
  return values;
}

}  // namespace

void validate(Run& run, int64_t step) {
  run.stage = Stage::validating;
  run.bus->open(Phase::validation);
  const Metrics values = evaluate(run, kValidation, *run.val_loader, run.plan.val_batches, true);
  if (!run.interrupted()) ++run.validations;
  run.bus->close(Phase::validation);
  if (!run.interrupted()) run.log_row(step, values);
  run.stage = Stage::training;
}

void check_sanity(Run& run) {
  if (run.plan.sanity_batches == 0) return;
  run.stage = Stage::sanity_checking;
  run.bus->open(Phase::sanity_check);
  evaluate(run, kValidation, *run.val_loader, run.plan.sanity_batches, false);
  run.bus->close(Phase::sanity_check);
  run.stage = Stage::setting_up;
}

Metrics evaluate_test(Run& run) {
  run.stage = Stage::testing;
  run.bus->open(Phase::test);
  Metrics values = evaluate(run, kTest, *run.test_loader, run.plan.test_batches, true);
  run.bus->close(Phase::test);
  run.stage = Stage::ending;
  return values;
}

}  // namespace lightrun::engine
