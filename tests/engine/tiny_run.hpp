#pragma once

#include "engine/data.hpp"
#include "engine/fit_loop.hpp"
#include "engine/run.hpp"

#include <lightrun/lightrun.hpp>

#include <torch/optim/sgd.h>

#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

/// Small worlds for tests of the loop: float64, plain SGD with lr 1, weights from 0, so that most sums are
/// exact.
namespace lightrun::test {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();

/// Gradients for models that are about something else.
inline const std::vector<std::vector<double>> kOneBatch(1, {1.0});

/// One weight vector w; training batch i's loss is the dot product of row i of `gradients` with w, so row i
/// is its gradient. The batches come in order, `batch_size` rows each (the loss is then the mean over them).
class Linear : public Module {
 public:
  explicit Linear(const std::vector<std::vector<double>>& gradients, int64_t batch_size = 1)
      : batch_size_(batch_size) {
    std::vector<torch::Tensor> rows;
    for (const auto& row : gradients) rows.push_back(torch::tensor(row, torch::kFloat64));
    gradients_ = torch::stack(rows);
    w = register_parameter("w", torch::zeros({gradients_.size(1)}, torch::kFloat64));
  }

  /// P-LIN(B): B batches, batch i has gradient i + 1.
  static std::shared_ptr<Linear> counting(int64_t batches) {
    std::vector<std::vector<double>> rows;
    for (int64_t i = 1; i <= batches; ++i) rows.push_back({static_cast<double>(i)});
    return make_module<Linear>(rows);
  }

  StepResult training_step(const Batch& batch, const StepInfo& info) override {
    if (on_step) on_step(info);
    return (batch["gradient"] * w).sum() / static_cast<double>(batch.size());
  }

  DataLoader train_dataloader() override {
    DataLoader loader(std::make_shared<TensorDataset>(Batch{{"gradient", gradients_}}));
    loader.batch_size = batch_size_;
    loader.shuffle = false;
    return loader;
  }

  Optimizers configure_optimizers() override {
    Optimizers optimizers;
    optimizers.add(
        {.optimizer = std::make_unique<torch::optim::SGD>(std::vector{w}, 1.0), .schedule = schedule});
    return optimizers;
  }

  [[nodiscard]] std::vector<double> weights() const {
    return {w.data_ptr<double>(), w.data_ptr<double>() + w.numel()};
  }

  torch::Tensor w;
  std::optional<LrSchedule> schedule;
  std::function<void(const StepInfo&)> on_step;

 private:
  torch::Tensor gradients_;
  int64_t batch_size_;
};

/// A Linear with two validation batches; validation v (from 0) logs val_loss = values[v], and 1 where the
/// list has ended. P-VAL of the field reports.
class Validated : public Linear {
 public:
  using Linear::Linear;
  Validated(const std::vector<std::vector<double>>& gradients, std::vector<double> values)
      : Linear(gradients), values_(std::move(values)) {}

  /// P-VAL(values): batch i of B has gradient i + 1.
  static std::shared_ptr<Validated> counting(int64_t batches, std::vector<double> values = {}) {
    std::vector<std::vector<double>> rows;
    for (int64_t i = 1; i <= batches; ++i) rows.push_back({static_cast<double>(i)});
    return make_module<Validated>(rows, std::move(values));
  }

  void validation_step(const Batch& /*batch*/, const StepInfo& /*info*/) override {
    log("val_loss", validations < values_.size() ? values_[validations] : 1.0);
  }
  void on_validation_end(Context& context) override {
    ++validations;
    validated_after.push_back(context.batches_seen() + 1);
  }
  DataLoader val_dataloader() override {
    DataLoader loader(std::make_shared<TensorDataset>(Batch{{"x", torch::zeros({2, 1})}}));
    loader.batch_size = 1;
    return loader;
  }

  std::size_t validations = 0;
  std::vector<int64_t> validated_after;  ///< training batches, over the whole run

 private:
  std::vector<double> values_;
};

/// Notes every hook by name, in order, and may do something at one.
class Recorder : public Callback {
 public:
  std::vector<Event> events;
  std::function<void(Event, Context&)> at;

#define LIGHTRUN_RECORD_both(name)       \
  void name(Context& context) override { \
    events.push_back(Event::name);       \
    if (at) at(Event::name, context);    \
  }
#define LIGHTRUN_RECORD_callback(name) LIGHTRUN_RECORD_both(name)
#define LIGHTRUN_RECORD_model(name)
#define LIGHTRUN_RECORD_summary(name)
#define LIGHTRUN_RECORD_work(name)
#define LIGHTRUN_RECORD(name, who) LIGHTRUN_RECORD_##who(name)
  LIGHTRUN_HOOKS(LIGHTRUN_RECORD)
#undef LIGHTRUN_RECORD_both
#undef LIGHTRUN_RECORD_callback
#undef LIGHTRUN_RECORD_model
#undef LIGHTRUN_RECORD_summary
#undef LIGHTRUN_RECORD_work
#undef LIGHTRUN_RECORD
};

/// A run of `model` that writes nothing, ready for engine::fit().
inline std::unique_ptr<engine::Run> make_run(std::shared_ptr<Module> model, config::TrainerSpec trainer) {
  auto run = std::make_unique<engine::Run>();
  run->spec.trainer = std::move(trainer);
  run->model = std::move(model);
  engine::prepare(*run);
  run->connect();
  run->model->set_metric_sink(&run->metrics);
  return run;
}

/// Adds a callback of the product.
template <typename T, typename... Arguments>
void add(engine::Run& run, Arguments&&... arguments) {
  run.callbacks.push_back(make_callback<T>(std::forward<Arguments>(arguments)...));
}

/// Adds a recorder; it lives as long as the run.
inline Recorder& record(engine::Run& run) {
  auto recorder = make_callback<Recorder>();
  Recorder& reference = *recorder;
  run.callbacks.push_back(std::move(recorder));
  return reference;
}

/// Trains `model` to the end.
inline std::unique_ptr<engine::Run> fit(std::shared_ptr<Module> model, config::TrainerSpec trainer) {
  auto run = make_run(std::move(model), std::move(trainer));
  engine::fit(*run);
  return run;
}

}  // namespace lightrun::test
