#include "engine/evaluation.hpp"

#include "engine/forward_precision.hpp"
#include "engine/generators.hpp"
#include "engine/module_modes.hpp"

#include <ATen/core/grad_mode.h>

#include <utility>

namespace lightrun::engine {
namespace {

/// What differs between a validation, a test and a prediction.
struct Kind {
  Phase epoch;
  Phase batch;
  Event step;
  std::optional<Event> epoch_end;  ///< the model's own
  std::string_view reading;
  std::function<void(Module&, const Batch&, const StepInfo&)> run_step;
};

Kind validation() {
  return {Phase::validation_epoch,     Phase::validation_batch,       Event::validation_step,
          Event::validation_epoch_end, "reading the validation data", &Module::validation_step};
}

Kind test_kind() {
  return {Phase::test_epoch,     Phase::test_batch,       Event::test_step,
          Event::test_epoch_end, "reading the test data", &Module::test_step};
}

Kind prediction(const TakePrediction& take) {
  return {Phase::predict_epoch,
          Phase::predict_batch,
          Event::predict_step,
          std::nullopt,
          "reading the data to predict",
          [&take](auto& model, const auto& batch, const auto& info) {
            take(batch, model.predict_step(batch, info));
          }};
}

void evaluate_batch(Run& run, const Kind& kind, const Batch& batch) {
  run.batch = &batch;
  run.metrics.begin_batch(MetricStore::Scope::validation, batch.size());
  run.bus->open(kind.batch);
  {
    const auto timed = run.bus->work(kind.step);
    const ForwardPrecision precision(run);
    kind.run_step(
        *run.model, batch,
        {.epoch = run.state.epoch, .batch_idx = run.val_batch_idx, .global_step = run.state.global_step});
  }
  run.bus->close(kind.batch);
  run.batch = nullptr;
}

/// False: a signal came before the end.
bool evaluate_batches(Run& run, const Kind& kind, data::Loader& loader, std::optional<int64_t> limit) {
  const data::StopsReading stops_reading(loader);
  run.bus->doing(kind.reading);
  {
    const support::Wait wait(run.screen, kWaitsForData);
    loader.start_epoch(0, limit);
  }
  for (run.val_batch_idx = 0; !run.interrupted(); ++run.val_batch_idx) {
    std::optional<Batch> batch;
    {
      const Profiler::Timed timed(run.profiler.get(), "get_val_batch");
      const support::Wait wait(run.screen, kWaitsForData);
      run.bus->doing(kind.reading);
      batch = loader.next();
      if (batch) *batch = on_device(run, *batch);
    }
    if (!batch) return true;
    if (!batch->empty()) evaluate_batch(run, kind, *batch);
  }
  return false;
}

/// One validation, test or prediction, from its epoch's start on, with what its metrics are.
class Evaluation {
 public:
  /// @param keeps_metrics false: they are forgotten
  Evaluation(Run& run, Kind kind, bool keeps_metrics)
      : run_(run), kind_(std::move(kind)), keeps_metrics_(keeps_metrics) {}

  void run(data::Loader& loader, std::optional<int64_t> limit) {
    const SameRandomNumbers same_random_numbers(run_.device);
    run_.bus->open(kind_.epoch);
    {
      const EvalMode eval_mode(*run_.model);
      const at::NoGradGuard no_grad;
      is_whole_ = evaluate_batches(run_, kind_, loader, limit);
      gather();
      if (kind_.epoch_end) run_.bus->emit(*kind_.epoch_end);
      gather();
    }
    run_.bus->close(kind_.epoch);
    gather();
  }

  /// Takes in what hooks have logged since the last time; hooks see it from then on.
  void gather() {
    Metrics more = run_.metrics.end_epoch(MetricStore::Scope::validation, keeps_metrics_ && is_whole_);
    more.merge(values_);
    values_ = std::move(more);
    run_.metrics.begin_batch(MetricStore::Scope::validation, 1);
  }

  /// All batches were seen: no signal ended it early.
  [[nodiscard]] bool is_whole() const { return is_whole_; }
  [[nodiscard]] const Metrics& values() const { return values_; }

 private:
  Run& run_;
  Kind kind_;
  bool keeps_metrics_;
  bool is_whole_ = false;
  Metrics values_;
};

}  // namespace

bool validate(Run& run, int64_t step) {
  run.stage = Stage::validating;
  run.bus->open(Phase::validation);
  Evaluation evaluation(run, validation(), /*keeps_metrics=*/true);
  evaluation.run(*run.val_loader, run.plan.val_batches);
  if (evaluation.is_whole()) ++run.state.validations;
  run.bus->close(Phase::validation);
  evaluation.gather();
  run.stage = Stage::training;
  if (!evaluation.is_whole()) return false;
  run.log_row(step, evaluation.values());
  run.state.validated_at = run.state.batches_seen;
  return true;
}

void check_sanity(Run& run) {
  if (run.plan.sanity_batches == 0) return;
  run.stage = Stage::sanity_checking;
  run.bus->open(Phase::sanity_check);
  Evaluation evaluation(run, validation(), /*keeps_metrics=*/false);
  evaluation.run(*run.val_loader, run.plan.sanity_batches);
  run.bus->close(Phase::sanity_check);
  evaluation.gather();
  run.stage = Stage::setting_up;
}

Metrics evaluate_test(Run& run) {
  run.stage = Stage::testing;
  run.bus->open(Phase::test);
  Evaluation evaluation(run, test_kind(), /*keeps_metrics=*/true);
  evaluation.run(*run.test_loader, run.plan.test_batches);
  run.bus->close(Phase::test);
  evaluation.gather();
  run.stage = Stage::ending;
  return evaluation.values();
}

bool evaluate_prediction(Run& run, const TakePrediction& take) {
  run.stage = Stage::predicting;
  run.bus->open(Phase::predict);
  Evaluation evaluation(run, prediction(take), /*keeps_metrics=*/true);
  evaluation.run(*run.predict_loader, run.plan.predict_batches);
  run.bus->close(Phase::predict);
  evaluation.gather();
  run.stage = Stage::ending;
  return evaluation.is_whole();
}

}  // namespace lightrun::engine
