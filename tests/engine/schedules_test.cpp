#include "engine/tiny_run.hpp"
#include "support/catch.hpp"

#include <cmath>

using namespace lightrun;
using config::SchedulerSpec;
using test::Linear;
using test::Validated;
using Rates = std::vector<double>;

namespace {

/// A model that leaves its optimizer to the config. Notes the rate of every step.
template <typename Base>
class Configured : public Base {
 public:
  using Base::Base;
  Optimizers configure_optimizers() override { return {}; }
};

/// The rate at every batch of a run of `batches` an epoch, SGD with lr 1 and this schedule.
template <typename Model = Linear>
Rates rates_of(int64_t batches, const SchedulerSpec& scheduler, config::TrainerSpec trainer,
               std::vector<double> validations = {}) {
  std::vector<std::vector<double>> gradients(static_cast<std::size_t>(batches), {1.0});
  std::shared_ptr<Module> model;
  if constexpr (std::is_same_v<Model, Linear>) {
    model = make_module<Configured<Linear>>(gradients);
  } else {
    model = make_module<Configured<Validated>>(gradients, std::move(validations));
  }
  auto run = test::make_run(model, std::move(trainer));
  run->spec.optimizer = config::OptimizerSpec{.kind = config::SgdSpec{.lr = 1}};
  run->spec.scheduler = scheduler;
  Rates rates;
  test::record(*run).at = [&](Event event, Context& context) {
    if (event == Event::on_train_batch_start) rates.push_back(context.learning_rates().front());
  };
  engine::fit(*run);
  return rates;
}

SchedulerSpec by_step(decltype(SchedulerSpec::shape) shape) {
  return {.shape = std::move(shape), .interval = config::Interval::step};
}

}  // namespace

TEST_CASE("warm-up rises to the optimizer's rate, then the shape begins at its start") {
  SchedulerSpec spec = by_step(config::StepDecaySpec{.step_size = 2, .gamma = 0.5});
  spec.warmup = 4;
  spec.warmup_start_factor = 0.5;
  CHECK(rates_of(9, spec, {.max_epochs = 1}) == Rates{0.5, 0.625, 0.75, 0.875, 1, 1, 0.5, 0.5, 0.25});
}

TEST_CASE("a schedule for the whole run takes its length from the plan, without the warm-up") {
  SchedulerSpec spec = by_step(config::PolynomialSpec{});
  CHECK(rates_of(4, spec, {.max_epochs = 1}) == Rates{1, 0.75, 0.5, 0.25});
  CHECK(rates_of(2, spec, {.max_epochs = 2}) == Rates{1, 0.75, 0.5, 0.25});
  CHECK(rates_of(9, spec, {.max_epochs = 9, .max_steps = 2}) == Rates{1, 0.5});
  spec.warmup = 1;
  spec.warmup_start_factor = 0.5;
  CHECK(rates_of(5, spec, {.max_epochs = 1}) == Rates{0.5, 1, 0.75, 0.5, 0.25});
  const SchedulerSpec by_epoch{.shape = config::PolynomialSpec{}};
  CHECK(rates_of(1, by_epoch, {.max_epochs = 4}) == Rates{1, 0.75, 0.5, 0.25});
}

TEST_CASE("where nobody knows how long the run is, the schedule's setting is asked for") {
  CHECK_THROWS_WITH(
      rates_of(2, {.shape = config::CosineSpec{}}, {.max_epochs = -1, .max_steps = 3}),
      "scheduler.t_max: null is the whole run, and how long that is nobody knows; give a number, or "
      "max_steps");
}

TEST_CASE("reduce_on_plateau lowers the rate after `patience` values that are no better") {
  const SchedulerSpec spec{.shape = config::ReduceOnPlateauSpec{.factor = 0.5, .patience = 1}};
  CHECK(rates_of<Validated>(1, spec, {.max_epochs = 6}, {1, 2, 2, 2, 0.5, 2}) ==
        Rates{1, 1, 1, 0.5, 0.5, 0.5});
}

TEST_CASE("a plateau schedule does not take an epoch without validation for a bad one") {
  const SchedulerSpec spec{.shape = config::ReduceOnPlateauSpec{.factor = 0.5, .patience = 0}};
  CHECK(rates_of<Validated>(1, spec, {.max_epochs = 6, .check_val_every_n_epoch = 2}, {3, 2, 1}) ==
        Rates{1, 1, 1, 1, 1, 1});
  CHECK(rates_of<Validated>(1, spec, {.max_epochs = 6, .check_val_every_n_epoch = 2}, {1, 2, 3}) ==
        Rates{1, 1, 1, 1, 0.5, 0.5});
}

TEST_CASE("a plateau schedule may watch a metric of training, at steps too") {
  const SchedulerSpec by_epoch{
      .shape = config::ReduceOnPlateauSpec{
          .monitor = "train_loss_epoch", .mode = config::Mode::max, .factor = 0.5, .patience = 0}};
  CHECK(rates_of(1, by_epoch, {.max_epochs = 3}) == Rates{1, 1, 0.5});
  SchedulerSpec at_steps = by_epoch;
  std::get<config::ReduceOnPlateauSpec>(at_steps.shape).monitor = "train_loss";
  at_steps.interval = config::Interval::step;
  CHECK(rates_of(3, at_steps, {.max_epochs = 1}) == Rates{1, 1, 0.5});
}

TEST_CASE("a plateau's metric that nobody logs is an error at its first turn, with what there is") {
  const SchedulerSpec spec{.shape = config::ReduceOnPlateauSpec{.monitor = "nope"}};
  CHECK_THROWS_WITH(rates_of<Validated>(1, spec, {.max_epochs = 3}),
                    "scheduler.monitor: no metric 'nope' was logged; there are train_loss, train_loss_epoch, "
                    "val_loss");
}

TEST_CASE("a schedule at steps counts on over epochs, and frequency takes every n-th step") {
  SchedulerSpec spec = by_step(config::ExponentialSpec{.gamma = 0.5});
  spec.frequency = 2;
  CHECK(rates_of(3, spec, {.max_epochs = 2}) == Rates{1, 1, 0.5, 0.5, 0.25, 0.25});
}

TEST_CASE("a schedule at steps counts the steps of its own optimizer") {
  class Turns : public Module {
   public:
    Turns() {
      a = register_parameter("a", torch::zeros({1}, torch::kFloat64));
      b = register_parameter("b", torch::zeros({1}, torch::kFloat64));
    }
    StepResult training_step(const Batch& /*batch*/, const StepInfo& info) override {
      return (info.optimizer_idx == 0 ? a : b).sum();
    }
    DataLoader train_dataloader() override {
      DataLoader loader(std::make_shared<TensorDataset>(Batch{{"x", torch::zeros({6, 1})}}));
      loader.batch_size = 1;
      return loader;
    }
    Optimizers configure_optimizers() override {
      const LrSchedule halving{.rate = [](double base, int64_t count) { return base / std::pow(2, count); },
                               .interval = LrSchedule::Interval::step};
      Optimizers optimizers;
      for (const auto& [weight, frequency] : {std::pair{a, 2}, std::pair{b, 1}}) {
        optimizers.add({.optimizer = std::make_unique<torch::optim::SGD>(std::vector{weight}, 1.0),
                        .schedule = halving,
                        .frequency = frequency});
      }
      return optimizers;
    }
    torch::Tensor a, b;
  };
  const auto model = make_module<Turns>();
  const auto run = test::fit(model, {.max_epochs = 1});
  CHECK(model->a.item<double>() == -(1 + 0.5 + 0.25 + 0.125));
  CHECK(model->b.item<double>() == -(1 + 0.5));
  CHECK(run->learning_rates() == Rates{1.0 / 16, 1.0 / 4});
}
