#include "engine/tiny_run.hpp"
#include "optim/gradients.hpp"
#include "support/catch.hpp"

#include <lightrun/error.hpp>

#include <limits>

using namespace lightrun;
using test::kInf;
using test::kNan;
using test::Linear;

namespace {

std::shared_ptr<Linear> three_four() {
  return make_module<Linear>(std::vector<std::vector<double>>{{3, 4}});
}

std::string message_of(engine::Run& run) {
  try {
    engine::fit(run);
  } catch (const NonFiniteError& error) {
    return error.what();
  }
  return "no NonFiniteError";
}

/// The loss is `value` at one run-wide batch.
class BadLoss : public Linear {
 public:
  BadLoss(int64_t batches, int64_t at, double value)
      : Linear([batches] {
          std::vector<std::vector<double>> rows;
          for (int64_t i = 1; i <= batches; ++i) rows.push_back({static_cast<double>(i)});
          return rows;
        }()),
        at_(at),
        value_(value) {}
  StepResult training_step(const Batch& batch, const StepInfo& info) override {
    const auto loss = Linear::training_step(batch, info).loss;
    return seen_++ == at_ ? loss + value_ : loss;
  }

 private:
  int64_t at_;
  double value_;
  int64_t seen_ = 0;
};

}  // namespace

TEST_CASE("H08: 0 clips nothing, a large limit neither, a small one scales") {
  for (const auto& [limit, expected] : {std::pair{0.0, 5.0}, std::pair{5.0, 5.0}, std::pair{1.0, 1.0}}) {
    const auto model = three_four();
    test::fit(model, {.max_epochs = 1, .gradient_clip_val = limit});
    CHECK(model->weights()[0] == Approx(-0.6 * expected).margin(1e-5));
    CHECK(model->weights()[1] == Approx(-0.8 * expected).margin(1e-5));
  }
}

TEST_CASE("clipping by value cuts each entry") {
  const auto model = three_four();
  test::fit(
      model,
      {.max_epochs = 1, .gradient_clip_val = 3.5, .gradient_clip_algorithm = config::ClipAlgorithm::value});
  CHECK(model->weights() == std::vector{-3.0, -3.5});
}

TEST_CASE("H06: a non-finite loss stops before the step, and says where") {
  for (const double value : {kNan, kInf}) {
    const auto model = make_module<BadLoss>(5, 7, value);
    auto run = test::make_run(model, {.max_epochs = 4, .terminate_on_nan = true});
    const std::string message = message_of(*run);
    CHECK(message.find("the loss is") != std::string::npos);
    CHECK(message.find("epoch 1, batch 2, step 7") != std::string::npos);
    CHECK(run->state.global_step == 7);
    CHECK(model->weights() == std::vector{-18.0});
  }
}

TEST_CASE("H06: without terminate_on_nan the run goes on") {
  const auto model = make_module<BadLoss>(5, 7, kNan);
  const auto run = test::fit(model, {.max_epochs = 2});
  CHECK(run->state.global_step == 10);
  CHECK(run->warned_of_loss);
}

TEST_CASE("H07: a NaN in one gradient stops before the step and names the parameter") {
  const auto model = make_module<Linear>(std::vector<std::vector<double>>{{3, 4}, {kNan, 1}, {3, 4}});
  model->w.register_hook([](const torch::Tensor& gradient) { return gradient; });
  auto run = test::make_run(model, {.max_epochs = 1, .gradient_clip_val = 1, .terminate_on_nan = true});
  const std::string message = message_of(*run);
  CHECK(run->state.global_step == 1);
  CHECK(model->weights()[0] == Approx(-0.6).margin(1e-5));
  CHECK(model->weights()[1] == Approx(-0.8).margin(1e-5));
  CHECK(message.find("step 1") != std::string::npos);
}

TEST_CASE("H07: without terminate_on_nan clipping leaves the spoiled step out") {
  const auto model = make_module<Linear>(std::vector<std::vector<double>>{{3, 4}, {kNan, 1}, {3, 4}});
  test::fit(model, {.max_epochs = 1, .gradient_clip_val = 1});
  CHECK(model->weights()[0] == Approx(-1.2).margin(1e-5));
  CHECK(model->weights()[1] == Approx(-1.6).margin(1e-5));
}

namespace {

/// The loss is finite, the gradient of w is not: its hook makes it so at one batch.
class BadGradient : public Linear {
 public:
  explicit BadGradient(const std::vector<std::vector<double>>& gradients) : Linear(gradients) {
    w.register_hook(
        [this](const torch::Tensor& gradient) { return seen_++ == 1 ? gradient * kNan : gradient; });
  }

 private:
  int64_t seen_ = 0;
};

}  // namespace

TEST_CASE("H06: a non-finite gradient under a finite loss stops before the step and is named") {
  const auto model = make_module<BadGradient>(std::vector<std::vector<double>>{{3, 4}, {3, 4}, {3, 4}});
  auto run = test::make_run(model, {.max_epochs = 1, .terminate_on_nan = true});
  const std::string message = message_of(*run);
  CHECK(message.find("the gradient of w is not finite at epoch 0, batch 1, step 1") != std::string::npos);
  CHECK(model->weights() == std::vector{-3.0, -4.0});
}

TEST_CASE("the finite check looks at every entry once, and an overflowing norm is not a bad entry") {
  const auto large = torch::full({4}, 1e30f);
  CHECK(optim::all_finite({large, torch::zeros({2})}));
  CHECK(optim::all_finite({}));
  CHECK_FALSE(optim::all_finite({large, torch::tensor({0.0f, std::numeric_limits<float>::infinity()})}));
  CHECK_FALSE(optim::all_finite({torch::tensor({std::numeric_limits<float>::quiet_NaN()})}));
}
