#include "engine/tiny_run.hpp"
#include "support/catch.hpp"

using namespace lightrun;
using test::Linear;

namespace {

/// Losses are means over `weight` of their own; a batch of weight 0 is skipped.
class Weighted : public Linear {
 public:
  Weighted(const std::vector<std::vector<double>>& gradients, std::vector<double> weights)
      : Linear(gradients), weights_(std::move(weights)) {}

  StepResult training_step(const Batch& batch, const StepInfo& info) override {
    const double weight = weights_[static_cast<std::size_t>(info.batch_idx)];
    if (weight == 0) return {};
    StepResult result = Linear::training_step(batch, info);
    if (weight != 1) result.weight = weight;
    return result;
  }

 private:
  std::vector<double> weights_;
};

}  // namespace

TEST_CASE("H01: a short last window is divided by its true size, and nothing leaks over the epoch") {
  const auto model = Linear::counting(5);
  const auto run = test::fit(model, {.max_epochs = 2, .accumulate_grad_batches = {{0, 2}}});
  CHECK(run->state.global_step == 6);
  CHECK(model->weights() == std::vector{-20.0});  // 2 * ((1+2)/2 + (3+4)/2 + 5)
  CHECK((!model->w.grad().defined() || model->w.grad().eq(0).all().item<bool>()));
}

TEST_CASE("H01: accumulation_divisor fixed divides every window by the factor") {
  const auto model = Linear::counting(5);
  test::fit(model, {.max_epochs = 2,
                    .accumulate_grad_batches = {{0, 2}},
                    .accumulation_divisor = config::AccumulationDivisor::fixed});
  CHECK(model->weights() == std::vector{-15.0});
}

TEST_CASE("an accumulation schedule changes the window at its epoch") {
  const auto model = Linear::counting(4);
  const auto run = test::fit(model, {.max_epochs = 3, .accumulate_grad_batches = {{1, 2}, {2, 4}}});
  CHECK(run->state.global_step == 4 + 2 + 1);
  CHECK(model->weights() == std::vector{-(10.0 + 5.0 + 2.5)});
}

TEST_CASE("H19: max_steps counts windows and stops exactly, in the middle of an epoch") {
  const auto model = Linear::counting(10);
  const auto run = test::fit(model, {.max_epochs = 100, .max_steps = 5, .accumulate_grad_batches = {{0, 3}}});
  CHECK(run->state.global_step == 5);
  CHECK(run->state.batches_seen == 13);
  CHECK(run->state.epoch == 1);
  CHECK(run->state.batch_idx == 2);
  CHECK(model->weights() == std::vector{-27.0});  // 2 + 5 + 8 + 10 + 2
  CHECK(run->stop_reason == "max_steps 5 reached");
}

TEST_CASE("a window's gradient is the mean over all that the losses' weights count") {
  // Batch 0: mean 1 over a weight of 3; batch 1: mean 5 over 1.5.
  const auto model = make_module<Weighted>(std::vector<std::vector<double>>{{1}, {5}}, std::vector{3.0, 1.5});
  test::fit(model, {.max_epochs = 1, .accumulate_grad_batches = {{0, 2}}});
  CHECK(model->weights()[0] == Approx(-(3.0 * 1 + 1.5 * 5) / 4.5));
}

TEST_CASE("a skipped batch does not count in its window") {
  // Batches 1, 2, 3 with 1 skipped: the window of two closes after batch 2, divided by 2.
  const auto model = make_module<Weighted>(std::vector<std::vector<double>>{{1}, {2}, {3}, {4}},
                                           std::vector{1.0, 0.0, 1.0, 1.0});
  const auto run = test::fit(model, {.max_epochs = 1, .accumulate_grad_batches = {{0, 2}}});
  CHECK(run->state.global_step == 2);
  CHECK(model->weights() == std::vector{-((1 + 3) / 2.0 + 4)});
}

TEST_CASE("a skipped last batch still closes the epoch's window, by its true size") {
  const auto model =
      make_module<Weighted>(std::vector<std::vector<double>>{{1}, {2}, {3}}, std::vector{1.0, 1.0, 0.0});
  const auto run = test::fit(model, {.max_epochs = 1, .accumulate_grad_batches = {{0, 3}}});
  CHECK(run->state.global_step == 1);
  CHECK(model->weights() == std::vector{-1.5});
}

TEST_CASE("H09: the accumulated gradient is clipped once, before the step") {
  const auto model = make_module<Linear>(std::vector<std::vector<double>>{{3, 0}, {0, 4}});
  test::fit(model, {.max_epochs = 1, .accumulate_grad_batches = {{0, 2}}, .gradient_clip_val = 1});
  CHECK(model->weights()[0] == Approx(-0.6).margin(1e-5));
  CHECK(model->weights()[1] == Approx(-0.8).margin(1e-5));
}

TEST_CASE("weights in only a part of a window's losses are refused, whichever comes first") {
  for (const auto& weights : {std::vector{1.0, 2.0}, std::vector{2.0, 1.0}}) {  // 1: Weighted gives none
    CHECK_THROWS_WITH(test::fit(make_module<Weighted>(std::vector<std::vector<double>>{{1}, {2}}, weights),
                                {.max_epochs = 1, .accumulate_grad_batches = {{0, 2}}}),
                      "in one accumulation window some losses have a weight and some have none");
  }
}

TEST_CASE("equal weights are the same as none, also of the splits of truncated BPTT") {
  /// Split s of batch b has the gradient (b + 1) * (s + 1).
  class Splits : public Linear {
   public:
    explicit Splits(double weight) : Linear(std::vector<std::vector<double>>(1, {1.0})), weight_(weight) {}
    StepResult training_step(const Batch& /*batch*/, const StepInfo& info) override {
      StepResult result = (w * static_cast<double>((info.batch_idx + 1) * (info.split_idx + 1))).sum();
      if (weight_ > 0) result.weight = weight_;
      return result;
    }
    DataLoader train_dataloader() override {
      DataLoader loader(std::make_shared<TensorDataset>(Batch{{"x", torch::zeros({2, 4})}}));
      loader.batch_size = 1;
      return loader;
    }

   private:
    double weight_;
  };
  const auto weight = [](double each) {
    const auto model = make_module<Splits>(each);
    test::fit(model, {.max_epochs = 1, .accumulate_grad_batches = {{0, 2}}, .truncated_bptt_steps = 2});
    return model->weights().front();
  };
  CHECK(weight(0) == -((1 + 2 + 2) / 2.0 + 4 / 2.0));
  CHECK(weight(1) == weight(0));
  CHECK(weight(5) == Approx(weight(0)));
}
