#include "engine/tiny_run.hpp"
#include "support/catch.hpp"

#include <cmath>

using namespace lightrun;
using test::Linear;

namespace {

/// Two weights with an optimizer each, and a frozen one in the first.
class Two : public Module {
 public:
  explicit Two(std::vector<int64_t> frequencies = {}) : frequencies_(std::move(frequencies)) {
    a = register_parameter("a", torch::zeros({1}, torch::kFloat64));
    b = register_parameter("b", torch::zeros({1}, torch::kFloat64));
    frozen = register_parameter("frozen", torch::ones({1}, torch::kFloat64), /*requires_grad=*/false);
  }
  StepResult training_step(const Batch& /*batch*/, const StepInfo& info) override {
    CHECK_FALSE(frozen.requires_grad());
    CHECK(a.requires_grad() == (info.optimizer_idx == 0));
    CHECK(b.requires_grad() == (info.optimizer_idx == 1));
    turns.push_back(info.optimizer_idx);
    return (info.optimizer_idx == 0 ? a : b).sum() + a.detach().sum() + frozen.sum();
  }
  DataLoader train_dataloader() override {
    DataLoader loader(std::make_shared<TensorDataset>(Batch{{"x", torch::zeros({6, 1})}}));
    loader.batch_size = 1;
    return loader;
  }
  Optimizers configure_optimizers() override {
    Optimizers optimizers;
    for (std::size_t i = 0; i < 2; ++i) {
      const auto parameters = i == 0 ? std::vector{a, frozen} : std::vector{b};
      OptimizerSetup setup{.optimizer = std::make_unique<torch::optim::SGD>(parameters, 1.0)};
      if (!frequencies_.empty()) setup.frequency = frequencies_[i];
      optimizers.add(std::move(setup));
    }
    return optimizers;
  }
  torch::Tensor a, b, frozen;
  std::vector<int64_t> turns;

 private:
  std::vector<int64_t> frequencies_;
};

}  // namespace

TEST_CASE("H13: with two optimizers only the active one's parameters require grad, a frozen one never") {
  const auto model = make_module<Two>();
  test::fit(model, {.max_epochs = 2});
  CHECK(model->a.item<double>() == -12);
  CHECK(model->b.item<double>() == -12);
  CHECK(model->frozen.item<double>() == 1);
  CHECK(model->a.requires_grad());
  CHECK_FALSE(model->frozen.requires_grad());
}

TEST_CASE("optimizer frequencies take turns over the whole run") {
  const auto model = make_module<Two>(std::vector<int64_t>{2, 1});
  const auto run = test::fit(model, {.max_epochs = 1});
  CHECK(model->turns == std::vector<int64_t>{0, 0, 1, 0, 0, 1});
  CHECK(model->a.item<double>() == -4);
  CHECK(model->b.item<double>() == -2);
  CHECK(run->state.global_step == 6);
}

TEST_CASE("H10: a schedule with interval step counts optimizer steps, not batches") {
  const auto model = make_module<Linear>(std::vector<std::vector<double>>(8, {1.0}));
  model->schedule = LrSchedule{
      .rate = [](double base, int64_t count) { return base * std::pow(0.5, static_cast<double>(count)); },
      .interval = LrSchedule::Interval::step};
  const auto run = test::fit(model, {.max_epochs = 1, .accumulate_grad_batches = {{0, 4}}});
  CHECK(model->weights() == std::vector{-1.5});
  CHECK(run->learning_rates() == std::vector{0.25});
}

TEST_CASE("H11: a schedule with interval epoch uses 0.5^e in epoch e, and its frequency counts epochs") {
  for (const auto& [frequency, expected] :
       {std::pair<int64_t, double>{1, 1 + .5 + .25 + .125}, std::pair<int64_t, double>{2, 1 + 1 + .5 + .5}}) {
    const auto model = make_module<Linear>(std::vector<std::vector<double>>{{1}});
    model->schedule = LrSchedule{
        .rate = [](double base, int64_t count) { return base * std::pow(0.5, static_cast<double>(count)); },
        .frequency = frequency};
    test::fit(model, {.max_epochs = 4});
    CHECK(model->weights() == std::vector{-expected});
  }
}

TEST_CASE("H26: splits carry their hidden state without its graph, and each batch starts with none") {
  // Batch [N, T] = [2, 7], chunks of 3: the loss of a chunk is the mean over its steps of (t + 1) * w.
  class Sequence : public Module {
   public:
    Sequence() { w = register_parameter("w", torch::zeros({1}, torch::kFloat64)); }
    StepResult training_step(const Batch& batch, const StepInfo& info) override {
      CHECK(info.hiddens.isNone() == (info.split_idx == 0));
      if (!info.hiddens.isNone()) {
        const auto pair = info.hiddens.toTupleRef().elements();
        CHECK_FALSE(pair[0].toTensor().requires_grad());
        CHECK(pair[1].toTensor().item<double>() == static_cast<double>(info.split_idx - 1));
      }
      lengths.push_back(batch["t"].size(1));
      const auto hidden = c10::ivalue::Tuple::create(
          {w * 2, torch::tensor(static_cast<double>(info.split_idx), torch::kFloat64)});
      return {(batch["t"] * w).mean(), hidden};
    }
    DataLoader train_dataloader() override {
      DataLoader loader(std::make_shared<TensorDataset>(
          Batch{{"t", torch::arange(1, 8, torch::kFloat64).unsqueeze(0).repeat({2, 1})}}));
      loader.batch_size = 1;
      return loader;
    }
    Optimizers configure_optimizers() override {
      return std::make_unique<torch::optim::SGD>(std::vector{w}, 1.0);
    }
    torch::Tensor w;
    std::vector<int64_t> lengths;
  };
  const auto model = make_module<Sequence>();
  const auto run = test::fit(model, {.max_epochs = 1, .truncated_bptt_steps = 3});
  CHECK(model->lengths == std::vector<int64_t>{3, 3, 1, 3, 3, 1});
  CHECK(model->w.item<double>() == -28);
  CHECK(run->state.global_step == 2);
}

TEST_CASE("a run stopped in mid-epoch does not advance its epoch schedules") {
  const auto model = make_module<Linear>(std::vector<std::vector<double>>{{1}, {1}, {1}});
  model->schedule = LrSchedule{.rate = [](double base, int64_t count) { return count == 0 ? base : 0; }};
  auto run = test::make_run(model, {.max_epochs = 2});
  test::record(*run).at = [](Event event, Context& context) {
    if (event == Event::on_train_batch_end) context.request_stop("enough");
  };
  engine::fit(*run);
  CHECK(run->state.batches_seen == 1);
  CHECK(run->state.schedules.front().count == 0);
}

TEST_CASE("a schedule holds from the first step on") {
  const auto model = make_module<Linear>(std::vector<std::vector<double>>{{1}, {1}});
  model->schedule = LrSchedule{.rate = [](double base, int64_t /*count*/) { return base / 4; }};
  test::fit(model, {.max_epochs = 1});
  CHECK(model->weights() == std::vector{-0.5});
}
