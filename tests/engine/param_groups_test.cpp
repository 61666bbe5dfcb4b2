// optimizer.groups: which parameter is in which group, with which options.

#include "callbacks/lr_monitor.hpp"
#include "engine/optimizers.hpp"
#include "engine/tiny_run.hpp"
#include "engine/weight_callbacks.hpp"
#include "support/catch.hpp"

#include <torch/optim/adamw.h>

using namespace lightrun;
using namespace lightrun::test;

namespace {

/// Three weights whose gradients are 1; leaves its optimizer to the config.
class Three : public Module {
 public:
  Three() {
    for (const char* name : {"a", "b", "ab"}) register_parameter(name, torch::zeros({1}, torch::kFloat64));
  }
  StepResult training_step(const Batch& /*batch*/, const StepInfo& /*info*/) override {
    torch::Tensor sum = torch::zeros({1}, torch::kFloat64);
    for (const auto& parameter : parameters()) sum = sum + parameter;
    return sum.sum();
  }
  DataLoader train_dataloader() override {
    DataLoader loader(std::make_shared<TensorDataset>(Batch{{"x", torch::zeros({2, 1})}}));
    loader.batch_size = 1;
    return loader;
  }
  [[nodiscard]] double value(const std::string& name) const {
    return named_parameters()[name].item<double>();
  }
};

config::ParamGroupSpec group(const std::string& params, const std::string& option, const std::string& value) {
  config::ParamGroupSpec spec{.params = params, .options = config::Value::map()};
  spec.options.add(option, {}, config::Value::plain(value));
  return spec;
}

std::unique_ptr<engine::Run> run_with(const std::shared_ptr<Module>& model, config::OptimizerSpec optimizer) {
  auto run = make_run(model, {.max_epochs = 1, .log_every_n_steps = 1});
  run->spec.optimizer = std::move(optimizer);
  return run;
}

std::string refusal(std::vector<config::ParamGroupSpec> groups) {
  const auto run = run_with(make_module<Three>(), {.kind = config::SgdSpec{}, .groups = std::move(groups)});
  try {
    engine::check_optimizer(*run);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("each group trains with its own options, and with the optimizer's for the rest") {
  const auto model = make_module<Three>();
  auto run = run_with(model, {.kind = config::SgdSpec{.lr = 1, .weight_decay = 0.5},
                              .groups = {group("^b", "lr", "0.5"), group("a", "weight_decay", "0")}});
  engine::fit(*run);
  // b: -0.5, then -0.5 - 0.5 * (1 - 0.25).
  CHECK(model->value("b") == -0.875);
  // a and ab, the first group that fits: -1, then -2.
  CHECK(model->value("a") == -2);
  CHECK(model->value("ab") == -2);
  CHECK(run->info.optimizers ==
        std::vector<std::string>{"SGD, 2 groups: 1 parameter with lr 0.5, 2 with lr 1"});
}

TEST_CASE("parameters of no group are in a last one with the optimizer's options") {
  const auto model = make_module<Three>();
  auto run = run_with(model, {.kind = config::AdamWSpec{.lr = 0.25, .betas = {0.5, 0.75}, .eps = 0.125},
                              .groups = {group("b", "lr", "2")}});
  engine::configure_optimizers(*run);
  const auto& active = run->optimizers.front();
  REQUIRE(active.setup.optimizer->param_groups().size() == 2);
  CHECK(active.base_rates == std::vector<double>{2, 0.25});
  std::vector<std::string> names;
  for (const auto& [name, parameter] : active.named_parameters) names.push_back(name);
  CHECK(names == std::vector<std::string>{"b", "ab", "a"});
  auto& first = active.setup.optimizer->param_groups().front().options();
  CHECK(static_cast<const torch::optim::AdamWOptions&>(first).eps() == 0.125);
  CHECK(static_cast<const torch::optim::AdamWOptions&>(first).betas() == std::tuple(0.5, 0.75));
}

TEST_CASE("a scheduler scales every group's own rate, and lr_monitor logs each") {
  const auto model = make_module<Three>();
  auto run = run_with(model, {.kind = config::SgdSpec{.lr = 1}, .groups = {group("^b$", "lr", "0.5")}});
  run->spec.scheduler = config::SchedulerSpec{.shape = config::ExponentialSpec{.gamma = 0.5},
                                              .interval = config::Interval::step};
  run->callbacks.push_back(engine::make_lr_monitor(*run, {}));
  std::vector<std::vector<double>> rates;
  record(*run).at = [&](Event event, Context&) {
    if (event == Event::on_train_batch_start) rates.push_back(run->group_rates().front());
  };
  engine::fit(*run);
  CHECK(rates == std::vector<std::vector<double>>{{0.5, 1}, {0.25, 0.5}});
  CHECK(run->metrics.latest().at("lr") == 0.25);
  CHECK(run->metrics.latest().at("lr/0") == 0.25);
  CHECK(run->metrics.latest().at("lr/1") == 0.5);
}

TEST_CASE("lr_monitor counts the optimizers where there are several") {
  class Two : public Three {
   public:
    Optimizers configure_optimizers() override {
      Optimizers optimizers;
      for (const double rate : {0.5, 0.25})
        optimizers.add({.optimizer = std::make_unique<torch::optim::SGD>(parameters(), rate)});
      return optimizers;
    }
  };
  auto run = make_run(make_module<Two>(), {.max_epochs = 1, .log_every_n_steps = 1});
  run->callbacks.push_back(engine::make_lr_monitor(*run, {}));
  engine::fit(*run);
  CHECK(run->metrics.latest().at("lr_0") == 0.5);
  CHECK(run->metrics.latest().at("lr_1") == 0.25);
  CHECK_FALSE(run->metrics.latest().contains("lr"));
}

TEST_CASE("swa leads every group from its own rate to swa_lrs") {
  const auto model = make_module<Three>();
  auto run = run_with(model, {.kind = config::SgdSpec{.lr = 1}, .groups = {group("^b$", "lr", "0.5")}});
  run->plan.max_epochs = 2;
  run->callbacks.push_back(engine::make_swa(*run, {.swa_epoch_start = config::Limit::of_count(0),
                                                   .swa_lrs = 0.25,
                                                   .annealing_epochs = 2,
                                                   .annealing_strategy = config::Anneal::linear}));
  std::vector<std::vector<double>> rates;
  record(*run).at = [&](Event event, Context&) {
    if (event == Event::on_train_epoch_end) rates.push_back(run->group_rates().front());
  };
  engine::fit(*run);
  CHECK(rates == std::vector<std::vector<double>>{{0.5, 1}, {0.375, 0.625}});
}

TEST_CASE("a group that fits nothing, or nothing that is left, is an error with names") {
  CHECK(refusal({group("c", "lr", "1")}) ==
        "optimizer.groups.0.params: 'c' is in no parameter's name; there are a, b, ab");
  CHECK(refusal({group("b", "lr", "1"), group("ab", "lr", "1")}) ==
        "optimizer.groups.1.params: 'ab' fits only parameters that groups before it have");
}
