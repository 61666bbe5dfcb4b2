#include "data/loader.hpp"

#include "support/catch.hpp"

#include <lightrun/error.hpp>

#include <algorithm>
#include <set>
#include <stdexcept>

using namespace lightrun;
using data::Loader;

namespace {

DataLoader numbers(int64_t count) {
  return std::make_shared<TensorDataset>(Batch{{"x", torch::arange(count).unsqueeze(1)}});
}

std::vector<std::vector<int64_t>> epoch_of(Loader& loader, int64_t epoch, std::optional<int64_t> limit = {},
                                           int64_t done = 0) {
  loader.start_epoch(epoch, limit, done);
  std::vector<std::vector<int64_t>> batches;
  while (const auto batch = loader.next()) {
    const auto x = (*batch)["x"].contiguous();
    batches.emplace_back(x.data_ptr<int64_t>(), x.data_ptr<int64_t>() + x.numel());
  }
  return batches;
}

/// 1, 2, ... n, one a batch. Counts how often it is asked; may be able to skip, and fail once at a batch.
class Stream : public IterableDataset {
 public:
  explicit Stream(int64_t length) : length_(length) {}
  void reset(int64_t /*epoch*/) override { position_ = 0; }
  bool skip(int64_t batches) override {
    if (can_skip) position_ += batches;
    return can_skip;
  }
  std::optional<Batch> next() override {
    ++calls;
    if (position_ == fails_at) {
      fails_at = -1;
      throw std::runtime_error("the line is cut");
    }
    if (position_ == length_) return std::nullopt;
    return Batch{{"x", torch::full({1, 1}, ++position_, torch::kInt64)}};
  }

  int64_t calls = 0;
  int64_t fails_at = -1;
  bool can_skip = false;

 private:
  int64_t length_;
  int64_t position_ = 0;
};

/// Sample i is i + 1 times the number i; the last one has another field, too.
class Growing : public SampleDataset {
 public:
  [[nodiscard]] int64_t size() const override { return 3; }
  [[nodiscard]] Batch sample(int64_t index) override {
    Batch sample{{"x", torch::full({index + 1}, index)}, {"y", torch::tensor(index)}};
    if (index == 2) sample.set("z", torch::tensor(index));
    return sample;
  }
};

constexpr auto kTrain = Loader::Purpose::train;
constexpr auto kValidate = Loader::Purpose::validate;

}  // namespace

TEST_CASE("H14: every epoch has a new order, the seed repeats it, another seed gives another") {
  Loader loader(numbers(16), {.batch_size = 16}, kTrain, 1);
  std::set<std::vector<int64_t>> orders;
  for (int64_t epoch = 0; epoch < 3; ++epoch) {
    auto order = epoch_of(loader, epoch).front();
    orders.insert(order);
    std::ranges::sort(order);
    CHECK(order == data::epoch_order(16, false, 1, 0));
  }
  CHECK(orders.size() == 3);
  Loader again(numbers(16), {.batch_size = 16}, kTrain, 1);
  CHECK(orders.contains(epoch_of(again, 2).front()));
  Loader other(numbers(16), {.batch_size = 16}, kTrain, 2);
  CHECK_FALSE(orders.contains(epoch_of(other, 0).front()));
}

TEST_CASE("the last batch is shorter, or dropped") {
  Loader keeps(numbers(5), {.batch_size = 2, .shuffle = false}, kTrain, 0);
  CHECK(keeps.batches() == 3);
  CHECK(epoch_of(keeps, 0) == std::vector<std::vector<int64_t>>{{0, 1}, {2, 3}, {4}});
  Loader drops(numbers(5), {.batch_size = 2, .shuffle = false, .drop_last = true}, kTrain, 0);
  CHECK(drops.batches() == 2);
  CHECK(epoch_of(drops, 0) == std::vector<std::vector<int64_t>>{{0, 1}, {2, 3}});
}

TEST_CASE("validation is in order and drops nothing, whatever the config says of training") {
  Loader loader(numbers(3), {.batch_size = 2, .shuffle = true, .drop_last = true}, kValidate, 0);
  CHECK(epoch_of(loader, 5) == std::vector<std::vector<int64_t>>{{0, 1}, {2}});
}

TEST_CASE("what a DataLoader says goes before the config") {
  DataLoader description = numbers(4);
  description.batch_size = 3;
  description.shuffle = false;
  Loader loader(description, {.batch_size = 1}, kTrain, 0);
  CHECK(epoch_of(loader, 0) == std::vector<std::vector<int64_t>>{{0, 1, 2}, {3}});
}

TEST_CASE("a limit ends the epoch, and the end is known before the next batch is asked for") {
  Loader loader(numbers(6), {.batch_size = 2, .shuffle = false}, kTrain, 0);
  CHECK(epoch_of(loader, 0, 2) == std::vector<std::vector<int64_t>>{{0, 1}, {2, 3}});
  loader.start_epoch(0, std::nullopt);
  for (int i = 0; i < 3; ++i) {
    CHECK_FALSE(loader.at_end());
    CHECK(loader.next());
  }
  CHECK(loader.at_end());
  CHECK_FALSE(loader.next());
}

TEST_CASE("a stream has no length, starts anew each epoch, and its end is known one batch ahead") {
  Loader loader(std::make_shared<Stream>(3), {}, kTrain, 0);
  CHECK_FALSE(loader.batches());
  for (int64_t epoch = 0; epoch < 2; ++epoch) {
    CHECK(epoch_of(loader, epoch) == std::vector<std::vector<int64_t>>{{1}, {2}, {3}});
  }
  CHECK(epoch_of(loader, 2, 2) == std::vector<std::vector<int64_t>>{{1}, {2}});
  loader.start_epoch(0, std::nullopt);
  CHECK(loader.next());
  CHECK(loader.next());
  CHECK_FALSE(loader.at_end());
  CHECK(loader.next());
  CHECK(loader.at_end());
}

TEST_CASE("a stream's epoch is gone on with where it was left, by its own skip() or by reading up to there") {
  for (const bool can_skip : {false, true}) {
    const auto stream = std::make_shared<Stream>(4);
    stream->can_skip = can_skip;
    Loader loader(stream, {}, kTrain, 0);
    CHECK(epoch_of(loader, 0, std::nullopt, 2) == std::vector<std::vector<int64_t>>{{3}, {4}});
    CHECK(stream->calls == (can_skip ? 3 : 5));
  }
}

TEST_CASE("a stream that has ended is not asked again, and its error comes with the batch it belongs to") {
  const auto stream = std::make_shared<Stream>(2);
  Loader loader(stream, {}, kTrain, 0);
  CHECK(epoch_of(loader, 0).size() == 2);
  CHECK_FALSE(loader.next());
  CHECK(loader.at_end());
  CHECK(stream->calls == 3);
  stream->fails_at = 1;
  loader.start_epoch(1, std::nullopt);
  CHECK(loader.next());
  CHECK_FALSE(loader.at_end());
  CHECK_THROWS_WITH(loader.next(), "the line is cut");
}

TEST_CASE("samples of one shape are stacked, of several shapes a list, and of other fields refused") {
  Growing growing;
  const std::vector<int64_t> two = {0, 1}, same = {1, 1}, all = {0, 1, 2};
  const Batch batch = growing.get(two);
  REQUIRE(batch.list("x").size() == 2);
  CHECK(batch.list("x")[1].equal(torch::tensor({1, 1})));
  CHECK(batch["y"].equal(torch::tensor({0, 1})));
  CHECK(growing.get(same)["x"].equal(torch::tensor({{1, 1}, {1, 1}})));
  CHECK_THROWS_WITH(growing.get(all), "sample 2 has 3 fields, others of the batch have 2");
}

TEST_CASE("a field that is set again has the new value, in its place") {
  Batch batch{{"x", torch::zeros({1})}, {"y", torch::zeros({1})}};
  batch.set("x", torch::ones({2}));
  CHECK(batch.fields().size() == 2);
  CHECK(batch.size() == 2);
}

TEST_CASE("a TensorDataset of unequal fields is refused, naming both") {
  CHECK_THROWS_WITH(TensorDataset(Batch{{"x", torch::zeros({3, 1})}, {"y", torch::zeros({2})}}),
                    "TensorDataset: field 'x' holds 3 samples, field 'y' 2");
}

TEST_CASE("a missing field of a batch is named together with those there are") {
  const Batch batch{{"x", torch::zeros({1})}, {"y", torch::zeros({1})}};
  CHECK_THROWS_WITH(batch["z"], "the batch has no field 'z'; its fields are: x, y");
}
