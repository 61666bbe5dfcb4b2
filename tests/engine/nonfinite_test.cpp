#include "engine/tiny_run.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <limits>

using namespace lightrun;
using config::OnNonfinite;
using test::kInf;
using test::kNan;
using test::Linear;

namespace {

/// P-BAD: P-LIN(5), the loss of run-wide batch `at` is `bad`.
class Bad : public Linear {
 public:
  Bad(int64_t at, double bad) : Linear({{1}, {2}, {3}, {4}, {5}}), at_(at), bad_(bad) {}

  StepResult training_step(const Batch& batch, const StepInfo& info) override {
    StepResult result = Linear::training_step(batch, info);
    return seen_++ == at_ ? result.loss * bad_ : result;
  }

 private:
  int64_t at_;
  double bad_;
  int64_t seen_ = 0;
};

/// P-LIN(3) with the schedule 1, 1/2, 1/4, ... by step; batch 1 has a finite loss and an infinite gradient:
/// sqrt at 0.
class BadGradient : public Linear {
 public:
  BadGradient() : Linear({{1}, {2}, {3}}) {
    schedule = LrSchedule{.rate = [](double base, int64_t count) { return base / std::pow(2, count); },
                          .interval = LrSchedule::Interval::step};
  }
  StepResult training_step(const Batch& batch, const StepInfo& info) override {
    StepResult result = Linear::training_step(batch, info);
    if (info.batch_idx == 1) result.loss = result.loss + (w - w.detach()).sqrt().sum();
    return result;
  }
};

}  // namespace

TEST_CASE("H06: the stop precedes the step: step 7 of P-BAD(7), weights -18") {
  const double bad = GENERATE(kNan, kInf);
  const auto model = make_module<Bad>(7, bad);
  auto run = test::make_run(model, {.max_epochs = 4, .terminate_on_nan = true});
  CHECK_THROWS_WITH(engine::fit(*run), Catch::Matchers::Contains("epoch 1, batch 2, step 7"));
  CHECK(run->state.global_step == 7);
  CHECK(model->weights() == std::vector{-18.0});
}

TEST_CASE("on_nonfinite stop is terminate_on_nan by another name") {
  auto run = test::make_run(make_module<Bad>(2, kNan), {.max_epochs = 1, .on_nonfinite = OnNonfinite::stop});
  CHECK_THROWS_AS(engine::fit(*run), NonFiniteError);
  CHECK(run->state.global_step == 2);
}

TEST_CASE("on_nonfinite skip leaves a batch with a bad loss out of its window") {
  const auto model = make_module<Bad>(2, kNan);
  const auto run = test::fit(model, {.max_epochs = 1, .on_nonfinite = OnNonfinite::skip});
  CHECK(run->state.global_step == 4);
  CHECK(run->state.batches_seen == 5);
  CHECK(model->weights() == std::vector{-(1.0 + 2 + 4 + 5)});

  const auto in_window = make_module<Bad>(2, kInf);
  test::fit(in_window,
            {.max_epochs = 1, .accumulate_grad_batches = {{0, 2}}, .on_nonfinite = OnNonfinite::skip});
  CHECK(in_window->weights() == std::vector{-((1 + 2) / 2.0 + (4 + 5) / 2.0)});
}

TEST_CASE(
    "on_nonfinite skip leaves a step with a bad gradient out: neither counted nor a schedule's advance") {
  const auto model = make_module<BadGradient>();
  const auto run =
      test::fit(model, {.max_epochs = 1, .on_nonfinite = OnNonfinite::skip, .print_nan_grads = true});
  CHECK(run->state.global_step == 2);
  CHECK(run->state.batches_seen == 3);
  CHECK(model->weights() == std::vector{-(1.0 + 3.0 / 2)});
  CHECK(run->state.schedules.front().count == 2);
}
