// Behaviours of Lightning 0.7 to 0.9 that look wrong, each tried in a recorded run; here the right one. The
// row numbers are those of the list the recordings came with. Rows that are not here have their tests
// elsewhere: 1, 2, 3 windows (accumulation, validation), 5 skipped epochs and empty batches (endings,
// batches), 6 frequencies (optimizers), 7 LBFGS (lbfgs), 10 to 14 and 34 early stopping (stopping), 17 a
// missing metric (stopping), 20 to 22 sanity check, overfit_batches, streams (validation), 25 step schedules
// (schedules), 30 fast_dev_run (validation), 33 an accumulation schedule from epoch 0 (accumulation). 18 and
// 19 are about resuming.

#include "callbacks/model_checkpoint.hpp"
#include "engine/tiny_run.hpp"
#include "support/catch.hpp"

#include <limits>

using namespace lightrun;
using config::Limit;
using test::kNan;
using test::kOneBatch;
using test::Linear;
using test::Validated;

namespace {

/// The metric's value in each row that was logged, at the row's step.
class Rows : public loggers::Logger {
 public:
  explicit Rows(std::map<int64_t, Metrics>& rows) : rows_(rows) {}
  void log_metrics(int64_t step, int64_t, double, const Metrics& metrics) override {
    rows_[step].insert(metrics.begin(), metrics.end());
  }
  void flush() override {}
  void finalize(const std::string&) override {}

 private:
  std::map<int64_t, Metrics>& rows_;
};

}  // namespace

TEST_CASE("row 4: training_epoch_end does not raise global_step, so max_steps stops where it says") {
  class WithEpochEnd : public Linear {
   public:
    WithEpochEnd() : Linear({{1}, {2}, {3}}) {}
    void training_epoch_end(Context& /*context*/) override {}
  };
  CHECK(test::fit(make_module<WithEpochEnd>(), {.max_epochs = 2})->state.global_step == 6);
  CHECK(test::fit(make_module<WithEpochEnd>(), {.max_epochs = 9, .max_steps = 4})->state.batches_seen == 4);
}

TEST_CASE("rows 8 and 9: the gradient norm is in every row that is logged, and not rounded") {
  std::map<int64_t, loggers::Logger::Metrics> rows;
  auto run = test::make_run(make_module<Linear>(std::vector<std::vector<double>>(6, {0.00012})),
                            {.max_epochs = 1, .track_grad_norm = 2, .log_every_n_steps = 3});
  run->loggers.push_back(std::make_unique<Rows>(rows));
  engine::fit(*run);
  CHECK(rows.size() == 2);
  for (const int64_t step : {2, 5}) CHECK(rows.at(step).at("grad_2.0_norm_total") == 0.00012);
}

TEST_CASE("row 15: a save in a run without validation has the true global_step") {
  auto run = test::make_run(Linear::counting(3), {.max_epochs = 2});
  int64_t step_of_save = 0;
  test::record(*run).at = [&](Event event, Context& context) {
    if (event == Event::on_train_epoch_end) step_of_save = context.global_step();
  };
  engine::fit(*run);
  CHECK(step_of_save == 6);
}

TEST_CASE("row 16: every validation of an epoch may save") {
  auto run = test::make_run(Validated::counting(4, {4, 3, 2, 1}),
                            {.max_epochs = 1, .val_check_interval = Limit::of_count(1)});
  test::add<callbacks::ModelCheckpoint>(*run, callbacks::Monitor::Options{},
                                        callbacks::ModelCheckpoint::Rule());
  int64_t saves = 0;
  test::record(*run).at = [&](Event event, Context&) {
    if (event == Event::on_validation_end)
      saves += std::ranges::count(run->requests.saves, "best", &engine::SaveRequest::name);
  };
  engine::fit(*run);
  CHECK(saves == 4);
}

TEST_CASE("rows 23 and 24: no batches to train on is an error, whichever way") {
  CHECK_THROWS_WITH(test::fit(Linear::counting(3), {.limit_train_batches = Limit::of_count(0)}),
                    "trainer.limit_train_batches: 0 leaves nothing to train on");
  class Empty : public Linear {
   public:
    Empty() : Linear(kOneBatch) {}
    DataLoader train_dataloader() override {
      return std::make_shared<TensorDataset>(Batch{{"gradient", torch::empty({0, 1})}});
    }
  };
  CHECK_THROWS_WITH(test::fit(make_module<Empty>(), {}), "the training data holds not a single batch");
}

TEST_CASE("rows 26 and 27: global_step counts accumulation windows, with tbptt and several optimizers too") {
  class Sequence : public Module {
   public:
    explicit Sequence(std::size_t optimizers) : optimizers_(optimizers) {
      w = register_parameter("w", torch::zeros({1}, torch::kFloat64));
    }
    StepResult training_step(const Batch& /*batch*/, const StepInfo& /*info*/) override {
      ++steps;
      return w.sum();
    }
    DataLoader train_dataloader() override {
      return std::make_shared<TensorDataset>(Batch{{"x", torch::zeros({64, 6})}});
    }
    Optimizers configure_optimizers() override {
      Optimizers optimizers;
      for (std::size_t i = 0; i < optimizers_; ++i) {
        optimizers.add({.optimizer = std::make_unique<torch::optim::SGD>(std::vector{w}, 1.0)});
      }
      return optimizers;
    }
    torch::Tensor w;
    int64_t steps = 0;

   private:
    std::size_t optimizers_;
  };
  const auto model = make_module<Sequence>(std::size_t{2});
  const auto run = test::fit(model, {.max_epochs = 1, .truncated_bptt_steps = 2});
  CHECK(model->steps == 2 * 3 * 2);  // batches, splits, optimizers
  CHECK(run->state.global_step == 2);
}

TEST_CASE("row 28: weights that the very last step has spoiled are noticed") {
  class Overflow : public Linear {
   public:
    Overflow() : Linear(kOneBatch) {}
    void optimizer_step(torch::optim::Optimizer& optimizer,
                        const torch::optim::Optimizer::LossClosure& closure, const StepInfo& info) override {
      Linear::optimizer_step(optimizer, closure, info);
      w.data().fill_(kNan);
    }
  };
  CHECK_THROWS_WITH(
      test::fit(make_module<Overflow>(), {.max_epochs = 1, .terminate_on_nan = true}),
      "w is not finite at epoch 0, batch 0, step 1 (counted from 0); the step before made it so");
}

TEST_CASE("row 29: where a weight is not finite the message names it, not only the loss") {
  const auto model = Linear::counting(2);
  model->w.data().fill_(kNan);
  CHECK_THROWS_WITH(test::fit(model, {.max_epochs = 1, .terminate_on_nan = true}),
                    "the loss is nan at epoch 0, batch 0, step 0 (counted from 0), and w is not finite: an "
                    "earlier step made it "
                    "so");
}

TEST_CASE("row 31: a loss that is no loss is an error that says what it should be") {
  class Wrong : public Linear {
   public:
    explicit Wrong(torch::Tensor loss) : Linear(kOneBatch), loss_(std::move(loss)) {}
    StepResult training_step(const Batch&, const StepInfo&) override { return loss_; }

   private:
    torch::Tensor loss_;
  };
  CHECK_THROWS_WITH(test::fit(make_module<Wrong>(torch::tensor(1.0)), {}),
                    "the loss does not depend on any parameter that requires grad");
  CHECK_THROWS_WITH(test::fit(make_module<Wrong>(torch::ones({2}, torch::requires_grad())), {}),
                    "the loss has shape [2]; it must be one value");
}

TEST_CASE("row 32: the model's own on_pretrain_routine_start runs in a first fit") {
  class Noting : public Linear {
   public:
    Noting() : Linear(kOneBatch) {}
    void on_pretrain_routine_start(Context& /*context*/) override { ++calls; }
    int64_t calls = 0;
  };
  const auto model = make_module<Noting>();
  test::fit(model, {.max_epochs = 1});
  CHECK(model->calls == 1);
}
