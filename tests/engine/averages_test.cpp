// ema and swa: what is averaged, when it is in the model, what is written.

#include "callbacks/ema.hpp"
#include "callbacks/swa.hpp"
#include "engine/norm_statistics.hpp"
#include "engine/tiny_run.hpp"
#include "engine/weight_callbacks.hpp"
#include "state/safetensors.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <torch/nn/modules/batchnorm.h>

#include <memory>
#include <stdexcept>
#include <vector>

using namespace lightrun;
using namespace lightrun::test;
using lightrun::tests::TemporaryFolder;
using Numbers = std::vector<double>;

namespace {

/// P-VAL(3) with a validation after each batch: the trained weights are -1, -3, -6.
struct Averaged {
  Numbers in_validation;  ///< w at each validation's start
  Numbers after;          ///< ... and after its end
};

Averaged weights_with(const config::EmaSpec& ema) {
  const auto model = Validated::counting(3);
  auto run = make_run(
      model, {.max_epochs = 1, .val_check_interval = config::Limit::of_count(1), .num_sanity_val_steps = 1});
  run->callbacks.push_back(engine::make_ema(*run, ema));
  Averaged seen;
  record(*run).at = [&](Event event, Context&) {
    if (event == Event::on_validation_start) seen.in_validation.push_back(model->weights().front());
    if (event == Event::on_validation_end) seen.after.push_back(model->weights().front());
  };
  engine::fit(*run);
  return seen;
}

double averaged_in(const TemporaryFolder& folder) {
  return state::read_safetensors(folder / "averaged.safetensors").tensors.at("w").item<double>();
}

/// Batches {0, 2} and {4, 6} through a batch norm.
class Normed : public Module {
 public:
  Normed() { norm = register_module("norm", torch::nn::BatchNorm1d(torch::nn::BatchNormOptions(1))); }
  StepResult training_step(const Batch& batch, const StepInfo& /*info*/) override {
    log("seen", 1.0);
    return norm->forward(batch["x"]).sum();
  }
  DataLoader train_dataloader() override {
    const auto x = torch::tensor({{0.F}, {2.F}, {4.F}, {6.F}});
    DataLoader loader(std::make_shared<TensorDataset>(Batch{{"x", x}}));
    loader.batch_size = 2;
    loader.shuffle = false;
    return loader;
  }
  Optimizers configure_optimizers() override {
    return std::make_unique<torch::optim::SGD>(parameters(), torch::optim::SGDOptions(0));
  }
  torch::nn::BatchNorm1d norm{nullptr};
};

}  // namespace

TEST_CASE("an exponential moving average begins as the weights, and is in the model during validations") {
  const Averaged seen = weights_with({.decay = 0.75});
  // 0.75 * 0 + 0.25 * -1, then with -3, then with -6.
  CHECK(seen.in_validation == Numbers{-0.25, -0.9375, -2.203125});
  CHECK(seen.after == Numbers{-1, -3, -6});
}

TEST_CASE("an average that begins later and moves at every second step") {
  // It is -1 from step 1 on, and moves at step 3 to (-1 - 6) / 2.
  CHECK(weights_with({.decay = 0.5, .every_n_steps = 2, .start_step = 1}).in_validation ==
        Numbers{-1, -1, -3.5});
  // Before it begins, validations measure the weights.
  CHECK(weights_with({.decay = 0.5, .start_step = 2}).in_validation == Numbers{-1, -3, -4.5});
}

TEST_CASE("the average is what is written at the end, the trained weights are what is there") {
  const TemporaryFolder folder;
  const auto model = Linear::counting(3);
  auto run = make_run(model, {.max_epochs = 1});
  run->info.run_dir = folder.path().string();
  run->callbacks.push_back(engine::make_ema(*run, {.decay = 0.5, .save_averaged = true}));
  engine::fit(*run);
  CHECK(averaged_in(folder) == -3.875);
  CHECK(model->weights() == Numbers{-6});
}

TEST_CASE("after an error no average is written: it may be of weights that are no good") {
  for (const bool is_swa : {false, true}) {
    const TemporaryFolder folder;
    const auto model = Linear::counting(2);
    model->on_step = [](const StepInfo& info) {
      if (info.epoch == 1) throw std::runtime_error("no luck");
    };
    auto run = make_run(model, {.max_epochs = 2});
    run->info.run_dir = folder.path().string();
    run->callbacks.push_back(
        is_swa ? engine::make_swa(*run, {.swa_epoch_start = config::Limit::of_count(0), .swa_lrs = 1})
               : engine::make_ema(*run, {.save_averaged = true}));
    CHECK_THROWS(engine::fit(*run));
    CHECK(folder.names().empty());
  }
}

TEST_CASE("a validation that throws does not leave the average in what is saved") {
  const auto model = Validated::counting(3);
  auto run = make_run(model, {.max_epochs = 1, .num_sanity_val_steps = 0});
  run->callbacks.push_back(engine::make_ema(*run, {.decay = 0.5}));
  record(*run).at = [&](Event event, Context&) {
    if (event == Event::on_validation_epoch_start) {
      CHECK(model->weights() == Numbers{-3.875});
      // As the engine does before it saves after an error.
      run->bus->emit(Event::on_save_checkpoint);
      CHECK(model->weights() == Numbers{-6});
      throw std::runtime_error("no luck");
    }
  };
  CHECK_THROWS(engine::fit(*run));
  CHECK(model->weights() == Numbers{-6});
}

TEST_CASE("a state that a checkpoint holds stays as it was while the average goes on") {
  callbacks::Averages averages;
  const auto model = Linear::counting(1);
  averages.begin(*model);
  StateDict kept;
  averages.save(kept);
  const at::NoGradGuard no_grad;
  model->w.fill_(4);
  averages.move(*model, 0.5);
  CHECK(kept.get<torch::Tensor>("average.w").item<double>() == 0);
  averages.put_into(*model);
  CHECK(model->weights() == Numbers{2});
}

TEST_CASE("buffers of numbers are averaged, counts are what they were last") {
  callbacks::Averages averages;
  const auto model = make_module<Normed>();
  averages.begin(*model);
  const at::NoGradGuard no_grad;
  model->norm->running_mean.fill_(4);
  model->norm->num_batches_tracked.fill_(8);
  averages.move(*model, 0.25);
  model->norm->running_mean.fill_(0);
  model->norm->num_batches_tracked.fill_(0);
  averages.put_into(*model);
  CHECK(model->norm->running_mean.item<float>() == 1);
  CHECK(model->norm->num_batches_tracked.item<int64_t>() == 8);
}

TEST_CASE("an epoch that the run ends in the middle of is not in the mean") {
  const TemporaryFolder folder;
  const auto model = Linear::counting(2);
  auto run = make_run(model, {.max_epochs = 4, .max_steps = 5});
  run->info.run_dir = folder.path().string();
  run->callbacks.push_back(engine::make_swa(
      *run, {.swa_epoch_start = config::Limit::of_count(0), .swa_lrs = 1, .annealing_epochs = 0}));
  engine::fit(*run);
  // -3 after epoch 0, -6 after epoch 1; the fifth step leads to -7.
  CHECK(averaged_in(folder) == -4.5);
  CHECK(model->weights() == Numbers{-7});
}

TEST_CASE("the last epochs' weights are averaged, at rates that go to swa_lrs while the schedule rests") {
  const TemporaryFolder folder;
  const auto model = Linear::counting(2);
  model->schedule = LrSchedule{.rate = [](double base, int64_t count) { return count < 4 ? base : base / 8; },
                               .interval = LrSchedule::Interval::step};
  auto run = make_run(model, {.max_epochs = 4});
  run->info.run_dir = folder.path().string();
  run->callbacks.push_back(engine::make_swa(*run, {.swa_epoch_start = config::Limit::of_count(1),
                                                   .swa_lrs = 0.5,
                                                   .annealing_epochs = 2,
                                                   .annealing_strategy = config::Anneal::linear}));
  Numbers rates;
  Numbers weights;
  record(*run).at = [&](Event event, Context& context) {
    if (event == Event::on_train_batch_start) rates.push_back(context.learning_rates().front());
    if (event == Event::on_train_epoch_end) weights.push_back(model->weights().front());
  };
  engine::fit(*run);
  CHECK(rates == Numbers{1, 1, 1, 1, 0.75, 0.75, 0.5, 0.5});
  CHECK(weights == Numbers{-3, -6, -8.25, -9.75});
  CHECK(averaged_in(folder) == Approx(-8));
  CHECK(model->weights() == Numbers{-9.75});
}

TEST_CASE("where swa begins may be a share of max_epochs, exactly") {
  const auto model = Linear::counting(1);
  auto run = make_run(model, {.max_epochs = 10});
  run->callbacks.push_back(engine::make_swa(*run, {.swa_lrs = 0.5, .annealing_epochs = 0}));
  Numbers rates;
  record(*run).at = [&](Event event, Context& context) {
    if (event == Event::on_train_batch_start) rates.push_back(context.learning_rates().front());
  };
  engine::fit(*run);
  CHECK(rates == Numbers{1, 1, 1, 1, 1, 1, 1, 1, 0.5, 0.5});
}

TEST_CASE("rates are annealed as PyTorch's SWALR does it") {
  CHECK(callbacks::annealed_rate(1, 0, 0, 4, false) == 1);
  CHECK(callbacks::annealed_rate(1, 0, 2, 4, false) == Approx(0.5));
  CHECK(callbacks::annealed_rate(1, 0, 1, 4, false) == Approx(0.853553));
  CHECK(callbacks::annealed_rate(1, 0, 1, 4, true) == 0.75);
  CHECK(callbacks::annealed_rate(1, 0, 9, 4, false) == 0);
  CHECK(callbacks::annealed_rate(1, 0.5, 0, 0, false) == 0.5);
}

TEST_CASE("batch norms get the statistics of one pass, each batch counting the same") {
  const auto model = make_module<Normed>();
  const auto run = fit(model, {.max_epochs = 3});
  const auto before = run->metrics.latest();
  REQUIRE(engine::recompute_norm_statistics(*run));
  // The batches' means are 1 and 5, their variances 2 and 2.
  CHECK(model->norm->running_mean.item<float>() == 3);
  CHECK(model->norm->running_var.item<float>() == 2);
  CHECK(model->norm->options.momentum() == 0.1);
  CHECK(run->metrics.latest() == before);
  // One that does not train keeps what it has.
  model->norm->eval();
  const at::NoGradGuard no_grad;
  model->norm->running_mean.fill_(7);
  REQUIRE(engine::recompute_norm_statistics(*run));
  CHECK(model->norm->running_mean.item<float>() == 7);
}
