// Loaders whose batches are read by other threads: nobody is to see a difference.

#include "data/loader.hpp"

#include "engine/tiny_run.hpp"
#include "support/catch.hpp"

#include <lightrun/error.hpp>

#include <ATen/core/grad_mode.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace lightrun;
using data::Loader;

namespace {

constexpr auto kTrain = Loader::Purpose::train;
constexpr auto kValidate = Loader::Purpose::validate;

config::DataSpec spec_with(int64_t workers, int64_t batch_size = 2) {
  return {.batch_size = batch_size, .workers = workers};
}

std::vector<double> values_in(const Batch& batch) {
  const auto x = batch["x"].to(torch::kFloat64).contiguous();
  return {x.data_ptr<double>(), x.data_ptr<double>() + x.numel()};
}

/// What is left of the epoch: a list a batch.
std::vector<std::vector<double>> rest_of(Loader& loader) {
  std::vector<std::vector<double>> batches;
  while (const auto batch = loader.next()) batches.push_back(values_in(*batch));
  return batches;
}

std::vector<std::vector<double>> epoch_of(Loader& loader, int64_t epoch, int64_t done = 0) {
  loader.start_epoch(epoch, std::nullopt, done);
  return rest_of(loader);
}

/// Sample i is i, plus noise of the batch's generator.
class Noisy : public SampleDataset {
 public:
  [[nodiscard]] int64_t size() const override { return 23; }
  [[nodiscard]] bool is_concurrent() const override { return true; }
  [[nodiscard]] Batch sample(int64_t index) override {
    return {{"x", torch::rand({3}, batch_generator()) + index}};
  }
};

/// Numbers of the batch's generator alone.
class Drawn : public SampleDataset {
 public:
  [[nodiscard]] int64_t size() const override { return 4; }
  [[nodiscard]] Batch sample(int64_t /*index*/) override {
    return {{"x", torch::rand({3}, batch_generator())}};
  }
};

/// Sample i is i. Counts calls, and how many there are at once; may fail at a sample.
class Watched : public Dataset {
 public:
  explicit Watched(int64_t size, bool is_concurrent = true) : size_(size), is_concurrent_(is_concurrent) {}
  [[nodiscard]] int64_t size() const override { return size_; }
  [[nodiscard]] bool is_concurrent() const override { return is_concurrent_; }
  [[nodiscard]] Batch get(std::span<const int64_t> indices) override {
    ++calls;
    const int64_t now = ++inside;
    for (int64_t most = most_inside; now > most && !most_inside.compare_exchange_weak(most, now);) {
    }
    std::this_thread::sleep_for(pause);
    for (int waited = 0; most_inside < waits_for && waited < 10'000; ++waited)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (at::GradMode::is_enabled()) had_gradients = true;
    --inside;
    for (const int64_t index : indices)
      if (index == fails_at) throw std::runtime_error("sample " + std::to_string(index) + " is lost");
    return {{"x", torch::tensor(std::vector<int64_t>(indices.begin(), indices.end()))}};
  }

  std::atomic<int64_t> calls = 0;
  std::atomic<int64_t> inside = 0;
  std::atomic<int64_t> most_inside = 0;
  std::atomic<bool> had_gradients = false;
  std::chrono::milliseconds pause{0};
  int64_t waits_for = 0;  ///< until so many have been in get() at once
  int64_t fails_at = -1;

 private:
  int64_t size_;
  bool is_concurrent_;
};

}  // namespace

TEST_CASE("the order of the samples is the same with any number of workers") {
  Loader alone(std::make_shared<Watched>(23), spec_with(0), kTrain, 5);
  for (const int64_t workers : {1, 3}) {
    Loader loader(std::make_shared<Watched>(23), spec_with(workers), kTrain, 5);
    for (int64_t epoch = 0; epoch < 3; ++epoch) CHECK(epoch_of(loader, epoch) == epoch_of(alone, epoch));
  }
}

TEST_CASE("random augmentation is bit-equal with any number of workers, also from the middle of an epoch") {
  Loader alone(std::make_shared<Noisy>(), spec_with(0), kTrain, 5);
  const auto expected = epoch_of(alone, 1);
  CHECK(expected != epoch_of(alone, 2));
  CHECK(expected.size() == 12);
  const auto last_seven = std::vector(expected.begin() + 5, expected.end());
  for (const int64_t workers : {0, 1, 4}) {
    INFO(workers << " workers");
    Loader loader(std::make_shared<Noisy>(), spec_with(workers), kTrain, 5);
    CHECK(epoch_of(loader, 1) == expected);
    CHECK(epoch_of(loader, 1, 5) == last_seven);
  }
}

TEST_CASE("augmentation draws other numbers in each batch, in each epoch and with each seed") {
  const auto drawn = [](int64_t seed, int64_t epoch) {
    Loader loader(std::make_shared<Drawn>(), spec_with(0), kTrain, seed);
    return epoch_of(loader, epoch);
  };
  const auto first = drawn(5, 0);
  REQUIRE(first.size() == 2);
  CHECK(drawn(5, 0) == first);
  CHECK(first[0] != first[1]);
  CHECK(drawn(5, 1) != first);
  CHECK(drawn(6, 0) != first);
}

TEST_CASE("reading ahead leaves LibTorch's random numbers to the model") {
  Loader loader(std::make_shared<Noisy>(), spec_with(2), kTrain, 5);
  torch::manual_seed(3);
  const auto expected = torch::rand({4});
  torch::manual_seed(3);
  static_cast<void>(epoch_of(loader, 0));
  CHECK(torch::rand({4}).equal(expected));
}

TEST_CASE("a worker's exception arrives at its batch, after those before it") {
  for (const int64_t workers : {0, 1, 3}) {
    INFO(workers << " workers");
    const auto dataset = std::make_shared<Watched>(12);
    dataset->fails_at = 7;  // batch 3
    Loader loader(dataset, spec_with(workers), kValidate, 0);
    loader.start_epoch(0, std::nullopt);
    for (const double first : {0., 2., 4.}) CHECK(values_in(*loader.next()) == std::vector{first, first + 1});
    CHECK_FALSE(loader.at_end());
    CHECK_THROWS_WITH(loader.next(), "sample 7 is lost");
    CHECK(rest_of(loader) == std::vector<std::vector<double>>{{8, 9}, {10, 11}});
  }
}

TEST_CASE("each worker is at most data.prefetch batches ahead") {
  const auto dataset = std::make_shared<Watched>(60);
  Loader loader(dataset, {.batch_size = 1, .workers = 3, .prefetch = 2}, kTrain, 0);
  loader.start_epoch(0, std::nullopt);
  for (int64_t taken = 1; loader.next(); ++taken) CHECK(dataset->calls <= taken + 3 * 2);
  CHECK(dataset->calls == 60);
}

TEST_CASE("nothing is read before the first batch is asked for, and nothing beyond the limit") {
  const auto dataset = std::make_shared<Watched>(20);
  Loader loader(dataset, spec_with(2), kTrain, 0);
  loader.start_epoch(0, 3);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(dataset->calls == 0);
  CHECK(rest_of(loader).size() == 3);
  CHECK(dataset->calls == 3);
}

TEST_CASE("an epoch may be left in its middle, and the next one begins as ever") {
  const auto dataset = std::make_shared<Watched>(40);
  Loader loader(dataset, spec_with(3, 1), kTrain, 0);
  Loader alone(std::make_shared<Watched>(40), spec_with(0, 1), kTrain, 0);
  for (int64_t epoch = 0; epoch < 20; ++epoch) {
    const data::StopsReading stops(loader);
    loader.start_epoch(epoch, std::nullopt);
    for (int64_t i = 0; i < epoch; ++i) static_cast<void>(loader.next());
  }
  const int64_t calls = dataset->calls;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(dataset->calls == calls);
  CHECK(epoch_of(loader, 7) == epoch_of(alone, 7));
}

TEST_CASE("a stop in the middle of an epoch does not lose its place") {
  Loader loader(std::make_shared<Watched>(6), spec_with(2, 1), kValidate, 0);
  loader.start_epoch(0, std::nullopt);
  CHECK(values_in(*loader.next()) == std::vector{0.});
  loader.stop();
  CHECK_FALSE(loader.at_end());
  CHECK(rest_of(loader) == std::vector<std::vector<double>>{{1}, {2}, {3}, {4}, {5}});
  loader.stop();
  CHECK(loader.at_end());
}

TEST_CASE("a dataset that is not concurrent is never entered twice at once, by two loaders either") {
  const auto dataset = std::make_shared<Watched>(12, /*is_concurrent=*/false);
  dataset->pause = std::chrono::milliseconds(3);
  const data::Reading reading{.turn = std::make_shared<std::mutex>()};
  Loader training(dataset, spec_with(4), kValidate, 0, reading);
  Loader validation(dataset, spec_with(4), kValidate, 0, reading);
  training.start_epoch(0, std::nullopt);
  CHECK(values_in(*training.next()) == std::vector{0., 1.});
  CHECK(epoch_of(validation, 0).size() == 6);
  CHECK(rest_of(training).size() == 5);
  CHECK(dataset->most_inside == 1);
}

TEST_CASE("a concurrent dataset is read by several threads at once") {
  const auto dataset = std::make_shared<Watched>(40);
  dataset->waits_for = 3;
  Loader loader(dataset, spec_with(3), kTrain, 0);
  CHECK(epoch_of(loader, 0).size() == 20);
  CHECK(dataset->most_inside == 3);
}

TEST_CASE("gradient mode is off where a dataset is read, whoever reads it, and on again afterwards") {
  for (const int64_t workers : {0, 2}) {
    const auto dataset = std::make_shared<Watched>(4);
    Loader loader(dataset, spec_with(workers), kTrain, 0);
    CHECK(epoch_of(loader, 0).size() == 2);
    CHECK_FALSE(dataset->had_gradients);
    CHECK(at::GradMode::is_enabled());
  }
}

namespace {

/// Three batches, drawn from LibTorch's own generator.
class RandomStream : public IterableDataset {
 public:
  void reset(int64_t /*epoch*/) override { left_ = 3; }
  std::optional<Batch> next() override {
    if (left_-- == 0) return std::nullopt;
    return Batch{{"x", torch::rand({2})}, {"gradient", torch::ones({1, 1}, torch::kFloat64)}};
  }

 private:
  int64_t left_ = 0;
};

class Streaming : public test::Linear {
 public:
  Streaming() : Linear(test::kOneBatch) {}
  DataLoader train_dataloader() override { return std::make_shared<RandomStream>(); }
};

}  // namespace

TEST_CASE(
    "a stream draws other numbers in each batch, in each epoch and with each seed, and none of the run's") {
  const auto drawn = [](int64_t seed, int64_t epoch) {
    Loader loader(std::make_shared<RandomStream>(), spec_with(0), kTrain, seed);
    return epoch_of(loader, epoch);
  };
  torch::manual_seed(3);
  const auto expected = torch::rand({4});
  torch::manual_seed(3);
  const auto first = drawn(5, 0);
  CHECK(torch::rand({4}).equal(expected));
  REQUIRE(first.size() == 3);
  CHECK(drawn(5, 0) == first);
  CHECK(first[0] != first[1]);
  CHECK(drawn(5, 1) != first);
  CHECK(drawn(6, 0) != first);
}

TEST_CASE("a stream is read by the loop with workers, too, and a run says so") {
  Loader alone(std::make_shared<RandomStream>(), spec_with(0), kTrain, 5);
  Loader loader(std::make_shared<RandomStream>(), spec_with(3), kTrain, 5);
  CHECK(epoch_of(loader, 1) == epoch_of(alone, 1));

  for (const int64_t workers : {0, 2}) {
    engine::Run run;
    run.spec.trainer = {.max_epochs = 3, .reload_dataloaders_every_n_epochs = 1};
    run.spec.data.workers = workers;
    run.model = make_module<Streaming>();
    engine::prepare(run);
    CHECK(run.warned_of_stream == (workers > 0));
    run.connect();
    run.model->set_metric_sink(&run.metrics);
    engine::fit(run);
    CHECK(run.state.global_step == 9);
  }
}

TEST_CASE("a run with workers trains as one without, and nobody reads when the epoch ends") {
  class Reader : public test::Validated {
   public:
    Reader() : Validated(test::kOneBatch) {}
    StepResult training_step(const Batch& batch, const StepInfo& /*info*/) override {
      return (batch["x"].to(torch::kFloat64).sum() * w * w + w).sum();
    }
    void validation_step(const Batch& batch, const StepInfo& /*info*/) override {
      log("val_loss", batch["x"].to(torch::kFloat64).sum());
    }
    DataLoader train_dataloader() override { return training; }
    DataLoader val_dataloader() override { return validating; }
    std::shared_ptr<Watched> training = std::make_shared<Watched>(30);
    std::shared_ptr<Watched> validating = std::make_shared<Watched>(9);
  };
  std::vector<std::vector<double>> weights;
  for (const int64_t workers : {0, 3}) {
    const auto model = make_module<Reader>();
    engine::Run run;
    run.spec.trainer = {.max_epochs = 2, .max_steps = 25, .val_check_interval = config::Limit::of_count(4)};
    run.spec.data = {.batch_size = 2, .workers = workers};
    run.model = model;
    engine::prepare(run);
    run.connect();
    run.model->set_metric_sink(&run.metrics);
    int64_t calls_at_end = -1;
    test::record(run).at = [&](Event event, Context& /*context*/) {
      if (event == Event::on_train_end) calls_at_end = model->training->calls;
    };
    engine::fit(run);
    CHECK(model->training->inside == 0);
    CHECK(model->training->calls == calls_at_end);
    weights.push_back(model->weights());
  }
  CHECK(weights[0] == weights[1]);
}
