#include "engine/tiny_run.hpp"
#include "support/catch.hpp"

#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/rnn.h>
#include <torch/nn/utils/rnn.h>
#include <torch/optim/adam.h>

using namespace lightrun;
using test::Linear;

namespace {

/// Batches of these gradients; NaN stands for an empty batch.
class WithHoles : public Linear {
 public:
  explicit WithHoles(std::vector<double> gradients)
      : Linear(std::vector<std::vector<double>>(1, {1.0})), gradients_(std::move(gradients)) {}

  DataLoader train_dataloader() override {
    struct Holes : IterableDataset {
      explicit Holes(std::vector<double> gradients) : gradients_(std::move(gradients)) {}
      void reset(int64_t) override { next_ = 0; }
      std::optional<Batch> next() override {
        if (next_ == gradients_.size()) return std::nullopt;
        const double gradient = gradients_[next_++];
        if (std::isnan(gradient)) return Batch{{"gradient", torch::empty({0, 1}, torch::kFloat64)}};
        return Batch{{"gradient", torch::full({1, 1}, gradient, torch::kFloat64)}};
      }
      std::vector<double> gradients_;
      std::size_t next_ = 0;
    };
    return std::make_shared<Holes>(gradients_);
  }

 private:
  std::vector<double> gradients_;
};

constexpr double kEmpty = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("an empty batch is passed over: no step, no hooks, no place in its window") {
  const auto model = make_module<WithHoles>(std::vector{1.0, kEmpty, 3.0, 4.0});
  auto run = test::make_run(model, {.max_epochs = 1, .accumulate_grad_batches = {{0, 2}}});
  auto& recorder = test::record(*run);
  engine::fit(*run);
  CHECK(run->state.global_step == 2);
  CHECK(model->weights() == std::vector{-((1 + 3) / 2.0 + 4)});
  CHECK(std::ranges::count(recorder.events, Event::on_train_batch_start) == 3);
  CHECK(std::ranges::count(recorder.events, Event::on_train_batch_end) == 3);
}

TEST_CASE("an empty batch at the epoch's end still closes the open window") {
  const auto model = make_module<WithHoles>(std::vector{1.0, 3.0, kEmpty});
  const auto run = test::fit(model, {.max_epochs = 1, .accumulate_grad_batches = {{0, 3}}});
  CHECK(run->state.global_step == 1);
  CHECK(model->weights() == std::vector{-2.0});
}

TEST_CASE("a skipped epoch leaves no gradient to the next: its open window closes by its true size") {
  const auto model = Linear::counting(4);
  auto run = test::make_run(model, {.max_epochs = 2, .accumulate_grad_batches = {{0, 2}}});
  test::record(*run).at = [](Event event, Context& context) {
    if (event == Event::on_batch_start && context.epoch() == 0 && context.batch_idx() == 3)
      context.skip_epoch();
  };
  engine::fit(*run);
  CHECK(run->state.global_step == 4);
  CHECK(model->weights() == std::vector{-((1 + 2) / 2.0 + 3 + (1 + 2) / 2.0 + (3 + 4) / 2.0)});
}

TEST_CASE("reload_dataloaders_every_n_epochs asks for the data again, and a new length counts") {
  class Growing : public Linear {
   public:
    Growing() : Linear(std::vector<std::vector<double>>(1, {1.0})) {}
    DataLoader train_dataloader() override {
      ++asked;
      DataLoader loader(
          std::make_shared<TensorDataset>(Batch{{"gradient", torch::ones({asked, 1}, torch::kFloat64)}}));
      loader.batch_size = 1;
      return loader;
    }
    int64_t asked = 0;
  };
  const auto batches = [](int64_t every) {
    const auto model = make_module<Growing>();
    const auto run = test::fit(model, {.max_epochs = 4, .reload_dataloaders_every_n_epochs = every});
    return std::pair(model->asked, run->state.batches_seen);
  };
  CHECK(batches(0) == std::pair<int64_t, int64_t>(1, 4));
  CHECK(batches(1) == std::pair<int64_t, int64_t>(4, 1 + 2 + 3 + 4));
  CHECK(batches(2) == std::pair<int64_t, int64_t>(2, 1 + 1 + 2 + 2));
}

TEST_CASE("sequences of different lengths train an LSTM as a packed batch") {
  /// Is the mean of a sequence positive? Sequences have 2 to 9 steps.
  class Packed : public Module {
   public:
    Packed() {
      rnn = register_module("rnn", torch::nn::LSTM(torch::nn::LSTMOptions(1, 8).batch_first(true)));
      head = register_module("head", torch::nn::Linear(8, 1));
    }
    StepResult training_step(const Batch& batch, const StepInfo& /*info*/) override {
      const auto& sequences = batch.list("sequence");
      std::vector<int64_t> lengths;
      for (const auto& sequence : sequences) lengths.push_back(sequence.size(0));
      const auto padded = torch::nn::utils::rnn::pad_sequence(sequences, /*batch_first=*/true);
      const auto packed = torch::nn::utils::rnn::pack_padded_sequence(
          padded, torch::tensor(lengths), /*batch_first=*/true, /*enforce_sorted=*/false);
      const auto [output, state] = rnn->forward_with_packed_input(packed);
      const auto answer = head->forward(std::get<0>(state)[0]);
      log("accuracy", (answer.gt(0) == batch["positive"].gt(0.5)).to(torch::kFloat32).mean(),
          {.on_epoch = true});
      return torch::binary_cross_entropy_with_logits(answer, batch["positive"]);
    }
    DataLoader train_dataloader() override {
      struct Sequences : Dataset {
        int64_t size() const override { return 64; }
        Batch get(std::span<const int64_t> indices) override {
          std::vector<torch::Tensor> sequences;
          std::vector<torch::Tensor> positive;
          for (const int64_t index : indices) {
            const float sign = index % 2 == 0 ? 1.0f : -1.0f;
            sequences.push_back(
                torch::full({2 + index % 8, 1}, sign * (0.2f + 0.01f * static_cast<float>(index))));
            positive.push_back(torch::tensor({sign > 0 ? 1.0f : 0.0f}));
          }
          return {{"sequence", std::move(sequences)}, {"positive", torch::stack(positive)}};
        }
      };
      DataLoader loader(std::make_shared<Sequences>());
      loader.batch_size = 16;
      return loader;
    }
    Optimizers configure_optimizers() override {
      return std::make_unique<torch::optim::Adam>(parameters(), 0.02);
    }
    torch::nn::LSTM rnn{nullptr};
    torch::nn::Linear head{nullptr};
  };
  torch::manual_seed(1);
  const auto run = test::fit(make_module<Packed>(), {.max_epochs = 20});
  CHECK(run->metrics.latest().at("accuracy") == 1.0);
}

TEST_CASE("tbptt fields of unequal length are an error that names both") {
  class Unequal : public Linear {
   public:
    Unequal() : Linear(std::vector<std::vector<double>>(1, {1.0})) {}
    DataLoader train_dataloader() override {
      return std::make_shared<TensorDataset>(Batch{{"x", torch::zeros({2, 5})}, {"y", torch::zeros({2, 4})}});
    }
  };
  CHECK_THROWS_WITH(
      test::fit(make_module<Unequal>(), {.truncated_bptt_steps = 2}),
      "truncated_bptt_steps: field 'x' has 5 time steps, field 'y' 4; override tbptt_split_batch to "
      "split them your way");
}

TEST_CASE("each split's step clips its own gradient, and a window's gradients are those of all its splits") {
  /// Batch b (from 0), split s: gradient (b + 1) * 10^s.
  class Splits : public Linear {
   public:
    Splits() : Linear(std::vector<std::vector<double>>(1, {1.0})) {}
    StepResult training_step(const Batch& /*batch*/, const StepInfo& info) override {
      return (w * static_cast<double>(info.batch_idx + 1) * std::pow(10, info.split_idx)).sum();
    }
    DataLoader train_dataloader() override {
      DataLoader loader(std::make_shared<TensorDataset>(Batch{{"x", torch::zeros({2, 4})}}));
      loader.batch_size = 1;
      return loader;
    }
  };
  const auto weight = [](config::TrainerSpec trainer) {
    trainer.max_epochs = 1;
    trainer.truncated_bptt_steps = 2;
    const auto model = make_module<Splits>();
    const auto run = test::fit(model, trainer);
    CHECK(run->state.global_step == (trainer.accumulate_grad_batches.at(0) == 1 ? 2 : 1));
    return model->weights().front();
  };
  CHECK(weight({}) == -(1.0 + 10 + 2 + 20));
  CHECK(weight({.gradient_clip_val = 5}) == Approx(-(1.0 + 5 + 2 + 5)));
  // The window's first step has both splits of batch 0 and split 0 of batch 1, its second only split 1 of
  // batch 1.
  CHECK(weight({.accumulate_grad_batches = {{0, 2}}}) == -((1.0 + 10 + 2) / 2 + 20.0 / 2));
}

TEST_CASE("track_grad_norm logs the norm of each parameter and of all, before clipping, unrounded") {
  const auto norms = [](double p) {
    const auto model = make_module<Linear>(std::vector<std::vector<double>>{{3, 4}});
    const auto run = test::fit(model, {.max_epochs = 1, .gradient_clip_val = 1, .track_grad_norm = p});
    return run->metrics.latest();
  };
  CHECK(norms(2).at("grad_2.0_norm_w") == 5);
  CHECK(norms(2).at("grad_2.0_norm_total") == 5);
  CHECK(norms(1).at("grad_1.0_norm_total") == 7);
  CHECK(norms(std::numeric_limits<double>::infinity()).at("grad_inf_norm_total") == 4);
}

TEST_CASE("an open window ends with an optimizer's turn") {
  /// One weight an optimizer; every batch's gradient is 1 for each.
  class Turns : public Module {
   public:
    Turns() {
      a = register_parameter("a", torch::zeros({1}, torch::kFloat64));
      b = register_parameter("b", torch::zeros({1}, torch::kFloat64));
    }
    StepResult training_step(const Batch& batch, const StepInfo& info) override {
      return (info.optimizer_idx == 0 ? a : b).sum() * batch["x"].item<double>();
    }
    DataLoader train_dataloader() override {
      DataLoader loader(std::make_shared<TensorDataset>(
          Batch{{"x", torch::tensor({{1.0}, {2.0}, {3.0}, {4.0}, {5.0}, {6.0}})}}));
      loader.batch_size = 1;
      loader.shuffle = false;
      return loader;
    }
    Optimizers configure_optimizers() override {
      Optimizers optimizers;
      for (const auto& [weight, frequency] : {std::pair{a, 3}, std::pair{b, 1}}) {
        optimizers.add({.optimizer = std::make_unique<torch::optim::SGD>(std::vector{weight}, 1.0),
                        .frequency = frequency});
      }
      return optimizers;
    }
    torch::Tensor a, b;
  };
  const auto model = make_module<Turns>();
  const auto run = test::fit(model, {.max_epochs = 1, .accumulate_grad_batches = {{0, 2}}});
  // a: (1, 2), (3); b: (4); a: (5, 6)
  CHECK(run->state.global_step == 4);
  CHECK(model->a.item<double>() == -(1.5 + 3 + 5.5));
  CHECK(model->b.item<double>() == -4);
}

TEST_CASE("a parameter that two optimizers share is trained by both") {
  class Shared : public Module {
   public:
    Shared() { w = register_parameter("w", torch::zeros({1}, torch::kFloat64)); }
    StepResult training_step(const Batch& /*batch*/, const StepInfo& info) override {
      CHECK(w.requires_grad());
      return w.sum() * (info.optimizer_idx == 0 ? 1.0 : 10.0);
    }
    DataLoader train_dataloader() override {
      return std::make_shared<TensorDataset>(Batch{{"x", torch::zeros({1, 1})}});
    }
    Optimizers configure_optimizers() override {
      Optimizers optimizers;
      for (int i = 0; i < 2; ++i) {
        optimizers.add({.optimizer = std::make_unique<torch::optim::SGD>(std::vector{w}, 1.0)});
      }
      return optimizers;
    }
    torch::Tensor w;
  };
  const auto model = make_module<Shared>();
  test::fit(model, {.max_epochs = 2, .gradient_clip_val = 5});
  CHECK(model->w.item<double>() == Approx(-2 * (1 + 5)));  // each optimizer clips its own gradient
}

TEST_CASE("gradients of a parameter that two optimizers share do not mix in an open window") {
  // Batch i (from 0): optimizer 0 (lr 1) has the gradient i + 1, optimizer 1 (lr 0.1) ten times that.
  class Shared : public Module {
   public:
    Shared() { w = register_parameter("w", torch::zeros({1}, torch::kFloat64)); }
    StepResult training_step(const Batch& /*batch*/, const StepInfo& info) override {
      return w.sum() * static_cast<double>(info.batch_idx + 1) * (info.optimizer_idx == 0 ? 1.0 : 10.0);
    }
    DataLoader train_dataloader() override {
      DataLoader loader(std::make_shared<TensorDataset>(Batch{{"x", torch::zeros({2, 1})}}));
      loader.batch_size = 1;
      return loader;
    }
    Optimizers configure_optimizers() override {
      Optimizers optimizers;
      for (const double lr : {1.0, 0.1}) {
        optimizers.add({.optimizer = std::make_unique<torch::optim::SGD>(std::vector{w}, lr)});
      }
      return optimizers;
    }
    torch::Tensor w;
  };
  const auto model = make_module<Shared>();
  test::fit(model, {.max_epochs = 1, .accumulate_grad_batches = {{0, 2}}});
  CHECK(model->w.item<double>() == Approx(-(1 * 1.5 + 0.1 * 15)));
}

TEST_CASE("overfit_batches keeps the first batches of a stream, which validation does not eat up") {
  class Once : public test::Validated {
   public:
    Once() : Validated(std::vector<std::vector<double>>(1, {1.0})) {}
    DataLoader train_dataloader() override {
      struct Counting : IterableDataset {
        void reset(int64_t) override { next_ = 0; }
        std::optional<Batch> next() override {
          return Batch{{"gradient", torch::full({1, 1}, ++next_, torch::kFloat64)}};
        }
        int64_t next_ = 0;
      };
      return std::make_shared<Counting>();
    }
  };
  const auto model = make_module<Once>();
  test::fit(model, {.max_epochs = 1,
                    .overfit_batches = config::Limit::of_count(5),
                    .val_check_interval = config::Limit::of_count(2)});
  CHECK(model->weights() == std::vector{-(1.0 + 2 + 3 + 4 + 5)});
  CHECK(model->validated_after == std::vector<int64_t>{2, 4, 5});
}

TEST_CASE("an error while the next batch is read ahead leaves the batch before it trained") {
  class Breaking : public Linear {
   public:
    Breaking() : Linear(std::vector<std::vector<double>>(1, {1.0})) {}
    DataLoader train_dataloader() override {
      struct Two : IterableDataset {
        void reset(int64_t) override {}
        std::optional<Batch> next() override {
          if (++next_ == 3) throw std::runtime_error("the file is broken");
          return Batch{{"gradient", torch::full({1, 1}, next_, torch::kFloat64)}};
        }
        int64_t next_ = 0;
      };
      return std::make_shared<Two>();
    }
  };
  const auto model = make_module<Breaking>();
  auto run = test::make_run(model, {.max_epochs = 1});
  CHECK_THROWS_WITH(engine::fit(*run), "the file is broken");
  CHECK(model->weights() == std::vector{-3.0});
  CHECK(run->bus->last() == "reading the training data");
}
