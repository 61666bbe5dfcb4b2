#include "engine/tiny_run.hpp"
#include "support/catch.hpp"

#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/dropout.h>

using namespace lightrun;
using config::Limit;
using test::kOneBatch;
using test::Linear;
using test::Validated;
using Batches = std::vector<int64_t>;

namespace {

/// After which run-wide batches (from 1) validations came.
Batches validated_after(int64_t batches, config::TrainerSpec trainer) {
  const auto model = Validated::counting(batches);
  test::fit(model, std::move(trainer));
  return model->validated_after;
}

Limit fraction(int64_t digits, int scale) {
  return {.kind = Limit::Kind::fraction, .digits = digits, .scale = scale};
}

/// A stream of `length` batches an epoch (0: without end) whose gradients are 1, 2, 3, ...
class Stream : public IterableDataset {
 public:
  explicit Stream(int64_t length) : length_(length) {}
  void reset(int64_t /*epoch*/) override { given_ = 0; }
  std::optional<Batch> next() override {
    if (length_ > 0 && given_ == length_) return std::nullopt;
    return Batch{{"gradient", torch::full({1, 1}, ++given_, torch::kFloat64)}};
  }

 private:
  int64_t length_;
  int64_t given_ = 0;
};

class Streaming : public Validated {
 public:
  explicit Streaming(int64_t length) : Validated(kOneBatch), length_(length) {}
  DataLoader train_dataloader() override { return std::make_shared<Stream>(length_); }

 private:
  int64_t length_;
};

Batches validated_after_of_stream(int64_t length, config::TrainerSpec trainer) {
  const auto model = make_module<Streaming>(length);
  test::fit(model, std::move(trainer));
  return model->validated_after;
}

}  // namespace

TEST_CASE("val_check_interval counts batches within each epoch, or takes a share of it") {
  CHECK(validated_after(4, {.max_epochs = 2}) == Batches{4, 8});
  CHECK(validated_after(5, {.max_epochs = 2, .val_check_interval = Limit::of_count(2)}) ==
        Batches{2, 4, 7, 9});
  CHECK(validated_after(5, {.max_epochs = 2, .val_check_interval = fraction(5, 1)}) == Batches{2, 4, 7, 9});
  CHECK(validated_after(3, {.max_epochs = 1, .val_check_interval = Limit::of_count(1)}) == Batches{1, 2, 3});
}

TEST_CASE("check_val_every_n_epoch validates in every n-th epoch only") {
  CHECK(validated_after(3, {.max_epochs = 4, .check_val_every_n_epoch = 2}) == Batches{6, 12});
  CHECK(validated_after(
            4, {.max_epochs = 4, .val_check_interval = Limit::of_count(2), .check_val_every_n_epoch = 3}) ==
        Batches{10, 12});
}

TEST_CASE("H21: an interval longer than the epoch is refused, or counts across epochs") {
  CHECK_THROWS_WITH(
      validated_after(5, {.max_epochs = 6, .val_check_interval = Limit::of_count(12)}),
      "trainer.val_check_interval: 12 is more than an epoch has (5 batches), so no validation would "
      "ever come; give at most that, or check_val_every_n_epoch: null to count batches across epochs");
  CHECK(validated_after(5, {.max_epochs = 6,
                            .val_check_interval = Limit::of_count(12),
                            .check_val_every_n_epoch = std::nullopt}) == Batches{12, 24});
}

TEST_CASE("a fraction of the epoch that is no batch is refused") {
  CHECK_THROWS_WITH(
      validated_after(5, {.max_epochs = 1, .val_check_interval = fraction(1, 1)}),
      "trainer.val_check_interval: 0.1 of 5 batches is none; give a larger fraction, or a number of "
      "batches such as 1");
}

TEST_CASE("a stream is validated at its end, at every n-th batch, and at its limit") {
  CHECK(validated_after_of_stream(3, {.max_epochs = 2}) == Batches{3, 6});
  CHECK(validated_after_of_stream(3, {.max_epochs = 2, .val_check_interval = Limit::of_count(2)}) ==
        Batches{2, 3, 5, 6});
  CHECK(validated_after_of_stream(0, {.max_epochs = 2, .limit_train_batches = Limit::of_count(4)}) ==
        Batches{4, 8});
  CHECK_THROWS_WITH(
      validated_after_of_stream(3, {.max_epochs = 1, .val_check_interval = fraction(5, 1)}),
      "trainer.val_check_interval: 0.5: the training data is a stream of unknown length; give a "
      "number of batches, or 1.0 for its end");
}

TEST_CASE("the tail of a stream has its step, like that of any other data") {
  const auto model = make_module<Streaming>(3);
  const auto run = test::fit(model, {.max_epochs = 1, .accumulate_grad_batches = {{0, 2}}});
  CHECK(run->state.global_step == 2);
  CHECK(model->weights() == std::vector{-(1.5 + 3)});
}

TEST_CASE("a stream that never ends trains until max_steps") {
  const auto run = test::fit(make_module<Streaming>(0), {.max_epochs = 3, .max_steps = 5});
  CHECK(run->state.batches_seen == 5);
  CHECK(run->state.epoch == 0);
}

TEST_CASE("an empty stream is an error, not a thousand empty epochs") {
  class Empty : public Linear {
   public:
    Empty() : Linear(kOneBatch) {}
    DataLoader train_dataloader() override {
      struct None : IterableDataset {
        void reset(int64_t) override {}
        std::optional<Batch> next() override { return std::nullopt; }
      };
      return std::make_shared<None>();
    }
  };
  CHECK_THROWS_WITH(test::fit(make_module<Empty>(), {}), "the training data has no batch in epoch 0");
}

TEST_CASE("a stop asked for in a batch brings the validation forward, max_steps does not") {
  const auto model = Validated::counting(5);
  auto run = test::make_run(model, {.max_epochs = 3});
  test::record(*run).at = [](Event event, Context& context) {
    if (event == Event::on_train_batch_end && context.batch_idx() == 1) context.request_stop("enough");
  };
  engine::fit(*run);
  CHECK(model->validated_after == Batches{2});
  CHECK(validated_after(5, {.max_epochs = 3, .max_steps = 7}) == Batches{5});
}

TEST_CASE("an open accumulation window survives a validation") {
  const auto model = Validated::counting(4);
  test::fit(model,
            {.max_epochs = 1, .accumulate_grad_batches = {{0, 4}}, .val_check_interval = Limit::of_count(1)});
  CHECK(model->weights() == std::vector{-2.5});
}

TEST_CASE("overfit_batches trains and validates on the same first training batches, in order") {
  class Seen : public Validated {
   public:
    Seen() : Validated({{1}, {2}, {3}, {4}, {5}}) {}
    DataLoader train_dataloader() override {
      DataLoader loader = Linear::train_dataloader();
      loader.shuffle = true;
      return loader;
    }
    void validation_step(const Batch& batch, const StepInfo& info) override {
      Validated::validation_step(batch, info);
      validated.push_back(batch["gradient"].item<double>());
    }
    std::vector<double> validated;
  };
  const auto model = make_module<Seen>();
  const auto run =
      test::fit(model, {.max_epochs = 2, .overfit_batches = Limit::of_count(2), .num_sanity_val_steps = 0});
  CHECK(run->state.batches_seen == 4);
  CHECK(model->weights() == std::vector{-2 * (1.0 + 2.0)});
  CHECK(model->validated == std::vector<double>{1, 2, 1, 2});
  const auto fifth = test::fit(make_module<Seen>(), {.max_epochs = 1, .overfit_batches = fraction(4, 1)});
  CHECK(fifth->state.batches_seen == 2);  // 0.4 of 5
}

TEST_CASE("H20: a fraction of the training data is exact, a count is capped") {
  const auto seen = [](int64_t batches, Limit limit) {
    return test::fit(Linear::counting(batches), {.max_epochs = 1, .limit_train_batches = limit})
        ->state.batches_seen;
  };
  CHECK(seen(100, fraction(29, 2)) == 29);
  CHECK(seen(10, fraction(7, 1)) == 7);
  CHECK(seen(100, Limit::all()) == 100);
  CHECK(seen(100, Limit::of_count(1)) == 1);
  CHECK(seen(5, Limit::of_count(8)) == 5);
  CHECK_THROWS_WITH(seen(9, fraction(1, 1)),
                    Catch::Matchers::StartsWith("trainer.limit_train_batches: 0.1 of 9 batches is none"));
}

TEST_CASE("num_sanity_val_steps runs as many batches as there are, and -1 all") {
  const auto batches = [](int64_t steps) {
    auto run = test::make_run(Validated::counting(1), {.max_epochs = 0, .num_sanity_val_steps = steps});
    auto& recorder = test::record(*run);
    engine::fit(*run);
    return std::ranges::count(recorder.events, Event::on_validation_batch_end);
  };
  CHECK(batches(0) == 0);
  CHECK(batches(1) == 1);
  CHECK(batches(2) == 2);
  CHECK(batches(9) == 2);
  CHECK(batches(-1) == 2);
}

TEST_CASE("fast_dev_run runs that many batches of each kind, and one epoch, whatever the interval") {
  const auto model = Validated::counting(5);
  const auto run =
      test::fit(model, {.max_epochs = 9, .val_check_interval = Limit::of_count(4), .fast_dev_run = 3});
  CHECK(run->state.batches_seen == 3);
  CHECK(model->validated_after == Batches{3});
}

TEST_CASE("H27: validation leaves a frozen layer frozen to the bit, and dropout is off only in it") {
  // P-BN: a BatchNorm the model keeps in eval mode.
  class Frozen : public Validated {
   public:
    Frozen() : Validated({{1}, {2}, {3}}) {
      norm = register_module("norm", torch::nn::BatchNorm1d(2));
      dropout = register_module("dropout", torch::nn::Dropout(0.5));
      norm->to(torch::kFloat64);
      norm->eval();
    }
    StepResult training_step(const Batch& batch, const StepInfo& info) override {
      CHECK_FALSE(norm->is_training());
      CHECK(dropout->is_training());
      (void)norm->forward(torch::rand({4, 2}, torch::kFloat64));
      return Validated::training_step(batch, info);
    }
    void validation_step(const Batch& batch, const StepInfo& info) override {
      CHECK_FALSE(dropout->is_training());
      CHECK_FALSE(torch::GradMode::is_enabled());
      (void)norm->forward(torch::rand({4, 2}, torch::kFloat64));
      Validated::validation_step(batch, info);
    }
    torch::nn::BatchNorm1d norm{nullptr};
    torch::nn::Dropout dropout{nullptr};
  };
  const auto model = make_module<Frozen>();
  test::fit(model, {.max_epochs = 2});
  CHECK(model->norm->running_mean.equal(torch::zeros({2}, torch::kFloat64)));
  CHECK(model->norm->running_var.equal(torch::ones({2}, torch::kFloat64)));
}

TEST_CASE(
    "what a validation's ending hooks log is that validation's, and nothing of a sanity check is kept") {
  class Late : public Validated {
   public:
    explicit Late(Event hook) : Validated(std::vector<std::vector<double>>(2, {1.0})), hook_(hook) {}
    void validation_step(const Batch&, const StepInfo&) override {}
    void validation_epoch_end(Context&) override { note(Event::validation_epoch_end); }
    void on_validation_epoch_end(Context&) override { note(Event::on_validation_epoch_end); }
    std::vector<double> seen;

   private:
    void note(Event hook) {
      if (hook == hook_) log("late", ++noted_);
    }
    Event hook_;
    double noted_ = 0;
  };
  for (const Event hook : {Event::validation_epoch_end, Event::on_validation_epoch_end}) {
    CAPTURE(event_name(hook));
    auto run = test::make_run(make_module<Late>(hook), {.max_epochs = 3});
    std::vector<double> seen;
    test::record(*run).at = [&](Event event, Context& context) {
      if (event == Event::on_train_start) CHECK_FALSE(context.metric("late"));
      if (event == Event::on_validation_end) seen.push_back(context.metric("late").value_or(0));
    };
    engine::fit(*run);
    CHECK(seen == std::vector<double>{2, 3, 4});  // 1 was the sanity check's
  }
}

TEST_CASE("a skipped epoch is validated once, where a validation at its end was due") {
  const auto validated_after_skip = [](config::TrainerSpec trainer) {
    const auto model = Validated::counting(4);
    auto run = test::make_run(model, std::move(trainer));
    test::record(*run).at = [](Event event, Context& context) {
      if (event == Event::on_batch_start && context.epoch() == 0 && context.batch_idx() == 2)
        context.skip_epoch();
    };
    engine::fit(*run);
    return model->validations;
  };
  CHECK(validated_after_skip({.max_epochs = 1}) == 1);
  CHECK(validated_after_skip({.max_epochs = 1, .val_check_interval = Limit::of_count(2)}) == 1);
  CHECK(validated_after_skip({.max_epochs = 1, .val_check_interval = Limit::of_count(3)}) == 0);
  CHECK(validated_after_skip({.max_epochs = 1,
                              .val_check_interval = Limit::of_count(9),
                              .check_val_every_n_epoch = std::nullopt}) == 0);
}
