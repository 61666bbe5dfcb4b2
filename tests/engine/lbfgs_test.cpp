#include "engine/tiny_run.hpp"
#include "support/catch.hpp"

#include <torch/optim/lbfgs.h>

#include <limits>

using namespace lightrun;

namespace {

/// Minimises (w - 3)^2 with LBFGS. One batch an epoch.
class Parabola : public Module {
 public:
  Parabola() { w = register_parameter("w", torch::zeros({1}, torch::kFloat64)); }

  StepResult training_step(const Batch& /*batch*/, const StepInfo& /*info*/) override {
    gradient_was_clear = gradient_was_clear && (!w.grad().defined() || w.grad().item<double>() == 0);
    ++evaluations;
    if (evaluations == nan_at) return (w * std::numeric_limits<double>::quiet_NaN()).sum();
    if (evaluations == skip_at) return {};
    if (evaluations == bad_gradient_at) return ((w - 3).pow(2) + (w - w.detach()).sqrt()).sum();
    return (w - 3).pow(2).sum();
  }
  DataLoader train_dataloader() override {
    return std::make_shared<TensorDataset>(Batch{{"x", torch::zeros({1, 1})}});
  }
  Optimizers configure_optimizers() override {
    return std::make_unique<torch::optim::LBFGS>(std::vector{w}, torch::optim::LBFGSOptions(1).max_iter(4));
  }

  torch::Tensor w;
  int64_t evaluations = 0;
  int64_t nan_at = -1;
  int64_t skip_at = -1;
  int64_t bad_gradient_at = -1;  ///< the loss is finite there
  bool gradient_was_clear = true;
};

}  // namespace

TEST_CASE("LBFGS evaluates the loss through a closure that clears the gradients each time") {
  const auto model = make_module<Parabola>();
  const auto run = test::fit(model, {.max_epochs = 3});
  CHECK(model->w.item<double>() == Approx(3).margin(1e-6));
  CHECK(model->evaluations > 3);
  CHECK(model->gradient_was_clear);
  CHECK(run->state.global_step == 3);
  CHECK(run->metrics.latest().at("train_loss_epoch") < 1e-6);
}

TEST_CASE("LBFGS is refused with accumulation and with clipping, and says why") {
  CHECK_THROWS_WITH(
      test::fit(make_module<Parabola>(), {.accumulate_grad_batches = {{0, 1}, {3, 2}}}),
      "trainer.accumulate_grad_batches: not with an optimizer that evaluates the loss several times "
      "a step, as LBFGS does; use a larger batch");
  CHECK_THROWS_WITH(
      test::fit(make_module<Parabola>(), {.gradient_clip_val = 1}),
      "trainer.gradient_clip_val: not with an optimizer that evaluates the loss several times a step, "
      "as LBFGS does");
}

TEST_CASE("a NaN in the middle of an LBFGS step leaves the weights of before it") {
  const auto model = make_module<Parabola>();
  model->nan_at = 2;
  auto run = test::make_run(model, {.max_epochs = 1, .terminate_on_nan = true});
  CHECK_THROWS_AS(engine::fit(*run), NonFiniteError);
  CHECK(model->w.item<double>() == 0);
  CHECK(run->state.global_step == 0);
}

TEST_CASE("on_nonfinite skip leaves such a step out and goes on") {
  const auto model = make_module<Parabola>();
  model->nan_at = 2;
  const auto run = test::fit(model, {.max_epochs = 4, .on_nonfinite = config::OnNonfinite::skip});
  CHECK(run->state.global_step == 3);
  CHECK(model->w.item<double>() == Approx(3).margin(1e-6));
}

TEST_CASE("a batch skipped at its first evaluation is left out, a later one is an error") {
  const auto model = make_module<Parabola>();
  model->skip_at = 1;
  CHECK(test::fit(model, {.max_epochs = 2})->state.global_step == 1);
  const auto late = make_module<Parabola>();
  late->skip_at = 2;
  CHECK_THROWS_WITH(
      test::fit(late, {.max_epochs = 2}),
      "training_step skipped a batch in the middle of an optimizer's step, after 1 evaluations of it");
}

TEST_CASE("a gradient that is not finite is seen in each of LBFGS's evaluations") {
  const auto stopped = make_module<Parabola>();
  stopped->bad_gradient_at = 2;
  CHECK_THROWS_WITH(test::fit(stopped, {.max_epochs = 1, .terminate_on_nan = true}),
                    Catch::Matchers::StartsWith("the gradient of w is not finite at epoch 0"));
  CHECK(stopped->w.item<double>() == 0);
  const auto skipped = make_module<Parabola>();
  skipped->bad_gradient_at = 2;
  CHECK(test::fit(skipped, {.max_epochs = 3, .on_nonfinite = config::OnNonfinite::skip})->state.global_step ==
        2);
}
