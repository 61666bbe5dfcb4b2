// What the config's data section makes of sources: parts, normalization, other names.

#include "sources/normalize.hpp"
#include "sources/opened.hpp"
#include "sources/views.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

using namespace lightrun;
using namespace lightrun::tests;

namespace {

/// Rows 0, 1, ... in column x; y is 10 times that.
class Table {
 public:
  explicit Table(int rows) {
    std::string text = "x,y\n";
    for (int i = 0; i < rows; ++i) text += std::to_string(i) + "," + std::to_string(10 * i) + "\n";
    write_file(folder_ / "a.csv", text);
  }
  [[nodiscard]] std::string source() const { return "{source: csv, path: " + path() + ", target: [y]}"; }
  [[nodiscard]] std::string path() const { return (folder_ / "a.csv").string(); }

 private:
  TemporaryFolder folder_;
};

Floats features_of(ConfigData& data, Part part) {
  return numbers_of<float>(all_of(*data.open(part).dataset)["features"]);
}

/// What `part` of a config with these lines throws, from the config's name on.
std::string refused_part(const std::string& lines, Part part) {
  try {
    auto data = config_data(lines);
    static_cast<void>(data.open(part));
  } catch (const ConfigError& error) {
    const std::string text = error.what();
    const auto at = text.find("a.yaml");
    return at == std::string::npos ? text : text.substr(at);
  }
  return "";
}

}  // namespace

TEST_CASE(
    "parts that are split off have no sample in common, together are all, and are the same in each run") {
  const Table table(20);
  const std::string lines =
      "train: " + table.source() + "\n  val: {split: 0.2}\n  test: {split: 0.1, seed: 3}";
  auto data = config_data(lines);
  const Floats train = features_of(data, Part::train);
  const Floats val = features_of(data, Part::val);
  const Floats test = features_of(data, Part::test);
  CHECK(train.size() == 14);
  CHECK(val.size() == 4);
  CHECK(test.size() == 2);
  std::set<float> all(train.begin(), train.end());
  all.insert(val.begin(), val.end());
  all.insert(test.begin(), test.end());
  CHECK(all.size() == 20);
  CHECK(std::ranges::is_sorted(train));
  CHECK(std::ranges::is_sorted(val));
  auto again = config_data(lines);
  CHECK(features_of(again, Part::test) == test);
  CHECK(features_of(again, Part::val) == val);
  auto other = config_data("train: " + table.source() +
                           "\n  val: {split: 0.2, seed: 1}\n  test: {split: 0.1, seed: 3}");
  CHECK(features_of(other, Part::val) != val);
  CHECK(features_of(other, Part::test) == test);
}

TEST_CASE("a split by the end takes the last samples, for a test before a validation") {
  const Table table(10);
  auto data = config_data("train: " + table.source() +
                          "\n  val: {split: 0.2, by: end}\n  test: {split: 0.1, by: end}");
  CHECK(features_of(data, Part::test) == Floats{9});
  CHECK(features_of(data, Part::val) == Floats{7, 8});
  CHECK(features_of(data, Part::train) == Floats{0, 1, 2, 3, 4, 5, 6});
  CHECK(features_of(data, Part::predict) == Floats{9});
}

TEST_CASE("a share is one of all samples, whatever another part has taken, and is rounded") {
  const Table table(10);
  auto data = config_data("train: " + table.source() +
                          "\n  val: {split: 0.27, by: end}\n  test: {split: 0.3, by: end}");
  CHECK(features_of(data, Part::test) == Floats{7, 8, 9});
  CHECK(features_of(data, Part::val) == Floats{4, 5, 6});
}

TEST_CASE("a split that takes nothing, or everything, is refused where it stands") {
  const Table table(10);
  const std::string train = "train: " + table.source();
  CHECK(refused_part(train + "\n  val: {split: 0.04}", Part::val) ==
        "a.yaml:4:9: data.val.split: 0.04 of 10 samples is none");
  CHECK(refused_part(train + "\n  val: {split: 0.97}", Part::train) ==
        "a.yaml:4:9: data.val.split: 0.97 of 10 samples leaves nothing to train on");
  CHECK(refused_part(train + "\n  val: {split: 0.5}\n  test: {split: 0.5}", Part::train) ==
        "a.yaml:4:9: data.val.split: 0.5 of 10 samples, beside data.test.split, 0.5, leaves nothing to "
        "train on");
}

TEST_CASE("a source's wrong setting is refused where it stands") {
  const Table table(10);
  CHECK(refused_part("train: {source: csv, path: " + table.path() + ", target: [yy]}", Part::train)
            .starts_with("a.yaml:3:"));
  CHECK(refused_part("train: {source: csv, path: nowhere.csv}", Part::train) ==
        "a.yaml:3:24: data.train.path: nowhere.csv: there is no such file");
  CHECK(refused_part("train: " + table.source() + "\n  val: {source: csv, path: nowhere.csv}", Part::val) ==
        "a.yaml:4:22: data.val.path: nowhere.csv: there is no such file");
}

TEST_CASE("with a training source, a part that is not named is not there") {
  const Table table(4);
  auto data = config_data("train: " + table.source());
  CHECK(data.has(Part::val));
  CHECK(data.open(Part::val).empty());
  CHECK(data.open(Part::test).empty());
  auto none = config_data("batch_size: 4");
  CHECK_FALSE(none.has(Part::train));
  CHECK_FALSE(none.has(Part::test));
  CHECK(none.info().empty());
}

TEST_CASE("standard: mean 0 and deviation 1 over the training part alone, the target left as it is") {
  const Table table(5);
  auto data =
      config_data("train: " + table.source() + "\n  val: {split: 0.2, by: end}\n  normalize: standard");
  // 0, 1, 2, 3: mean 1.5, variance 1.25
  const float deviation = std::sqrt(1.25F);
  const Floats train = features_of(data, Part::train);
  for (int i = 0; i < 4; ++i)
    CHECK(train[static_cast<std::size_t>(i)] == Approx((static_cast<float>(i) - 1.5F) / deviation));
  CHECK(features_of(data, Part::val).front() == Approx((4 - 1.5F) / deviation));
  CHECK(numbers_of<float>(all_of(*data.open(Part::train).dataset)["target"]) == Floats{0, 10, 20, 30});
}

TEST_CASE("a part with a source of its own is normalized as the training part is") {
  const Table training(3);
  const Table validation(5);
  auto data = config_data("train: " + training.source() + "\n  val: " + validation.source() +
                          "\n  normalize: min_max");
  CHECK(features_of(data, Part::val) == Floats{0, 0.5, 1, 1.5, 2});
}

TEST_CASE("min_max: from 0 to 1 over the training part alone") {
  const Table table(6);
  auto data = config_data(
      "train: " + table.source() +
      "\n  val: {split: 0.17, by: end}\n  normalize: {type: min_max, fields: [features, target]}");
  CHECK(features_of(data, Part::train) == Floats{0, 0.25, 0.5, 0.75, 1});
  CHECK(features_of(data, Part::val) == Floats{1.25});
  CHECK(numbers_of<float>(all_of(*data.open(Part::val).dataset)["target"]) == Floats{1.25});
}

TEST_CASE(
    "each channel of an image is normalized for itself, and a feature that never changes is only shifted") {
  auto source = std::make_shared<TensorDataset>(
      Batch{{"image", torch::stack({torch::zeros({2, 3, 3}), torch::ones({2, 3, 3})}) *
                          torch::tensor({2.F, 10.F}).view({2, 1, 1})}});
  StateDict learned;
  sources::learn_normalization(config::StandardNormalizeSpec{}, *source, learned);
  const auto image = all_of(*sources::normalized(source, learned))["image"];
  CHECK(image[0].equal(torch::full({2, 3, 3}, -1.F)));
  CHECK(image[1].equal(torch::full({2, 3, 3}, 1.F)));
  // Of sequences [N, T, F] each feature.
  const auto sequences = std::make_shared<TensorDataset>(
      Batch{{"x", torch::tensor({{{0.F, 10.F}, {2.F, 30.F}}, {{2.F, 30.F}, {0.F, 10.F}}})}});
  StateDict of_sequences;
  sources::learn_normalization(config::StandardNormalizeSpec{}, *sequences, of_sequences);
  CHECK(all_of(*sources::normalized(sequences, of_sequences))["x"][0].equal(
      torch::tensor({{-1.F, -1.F}, {1.F, 1.F}})));
  const auto constant = std::make_shared<TensorDataset>(Batch{{"x", torch::full({4, 1}, 7.F)}});
  StateDict of_constant;
  sources::learn_normalization(config::StandardNormalizeSpec{}, *constant, of_constant);
  CHECK(all_of(*sources::normalized(constant, of_constant))["x"].equal(torch::zeros({4, 1})));
}

TEST_CASE("statistics over several parts of a large dataset are those of the whole") {
  const auto x = torch::arange(5000, torch::kFloat32).view({2500, 2});
  const auto data = std::make_shared<TensorDataset>(Batch{{"x", x}});
  StateDict learned;
  sources::learn_normalization(config::StandardNormalizeSpec{}, *data, learned);
  CHECK(learned.get<torch::Tensor>("normalize.shift.x")[0].item<double>() == Approx(2499));
  CHECK(learned.get<torch::Tensor>("normalize.shift.x")[1].item<double>() == Approx(2500));
  CHECK(learned.get<torch::Tensor>("normalize.scale.x")[0].item<double>() ==
        Approx(std::sqrt((2500. * 2500 - 1) / 12) * 2));
  for (const auto& each : {x, x.flip(0)}) {
    TensorDataset either_way(Batch{{"x", each}});
    sources::learn_normalization(config::MinMaxNormalizeSpec{}, either_way, learned);
    CHECK(learned.get<torch::Tensor>("normalize.shift.x")[0].item<double>() == 0);
    CHECK(learned.get<torch::Tensor>("normalize.scale.x")[0].item<double>() == 4998);
  }
}

TEST_CASE("what cannot be normalized is refused where the setting stands") {
  const Table table(4);
  const std::string train = "train: " + table.source();
  CHECK(refused_part(train + "\n  normalize: {type: standard, fields: [featrues]}", Part::train) ==
        "a.yaml:4:31: data.normalize.fields: the training data has no field 'featrues'");
  const auto broken = std::make_shared<TensorDataset>(Batch{{"x", torch::tensor({{1.F, 2.F}, {1.F, NAN}})}});
  StateDict learned;
  CHECK_THROWS_WITH(
      sources::learn_normalization(config::StandardNormalizeSpec{}, *broken, learned),
      "the training data cannot be normalized: field 'x' has a value that is not finite in feature 1");
}

TEST_CASE("what a checkpoint has learned is used, whatever the file says now") {
  const Table table(5);
  const std::string lines = "train: " + table.source() + "\n  normalize: min_max";
  auto data = config_data(lines);
  CHECK(features_of(data, Part::train).back() == 1);
  const StateDict learned = data.learned();
  write_file(table.path(), "x,y\n8,80\n");
  auto later = config_data(lines, learned);
  CHECK(features_of(later, Part::train) == Floats{2});
}

namespace {

/// Three samples, with or without a lock of their own.
class Locked : public TensorDataset {
 public:
  explicit Locked(bool is_locked)
      : TensorDataset(Batch{{"x", torch::tensor({{1.F}, {2.F}, {3.F}})}}), is_locked_(is_locked) {}
  [[nodiscard]] bool is_concurrent() const override { return !is_locked_; }

 private:
  bool is_locked_;
};

/// Two batches an epoch: its number, 10 more, ...
class Numbers : public IterableDataset {
 public:
  void reset(int64_t epoch) override {
    next_ = epoch;
    left_ = 2;
  }
  bool skip(int64_t batches) override {
    next_ += 10 * batches;
    left_ -= batches;
    return true;
  }
  std::optional<Batch> next() override {
    if (left_-- <= 0) return std::nullopt;
    return Batch{{"x", torch::full({1, 1}, static_cast<float>(std::exchange(next_, next_ + 10)))}};
  }

 private:
  int64_t next_ = 0;
  int64_t left_ = 0;
};

}  // namespace

TEST_CASE(
    "a part, a normalized or a renamed dataset is read at once by several threads where it itself may be") {
  for (const bool is_locked : {false, true}) {
    const auto data = std::make_shared<Locked>(is_locked);
    StateDict learned;
    sources::learn_normalization(config::StandardNormalizeSpec{}, *data, learned);
    CHECK(sources::subset(data, {0, 1})->is_concurrent() == !is_locked);
    CHECK(sources::normalized(data, learned)->is_concurrent() == !is_locked);
    CHECK(sources::renamed({data}, {{"x", "y"}}).dataset->is_concurrent() == !is_locked);
  }
}

TEST_CASE("a stream with other names begins and skips as it does with its own") {
  const auto stream = sources::renamed({std::make_shared<Numbers>()}, {{"x", "input"}}).stream;
  stream->reset(3);
  CHECK((*stream->next())["input"].item<float>() == 3);
  stream->reset(4);
  CHECK(stream->skip(1));
  const auto last = stream->next();
  CHECK((*last)["input"].item<float>() == 14);
  CHECK_FALSE(last->contains("x"));
  CHECK_FALSE(stream->next());
}

TEST_CASE("of a stream nothing can be split off or learned, and it is said where that is asked for") {
  const auto fault = [](const std::string& more) {
    const auto spec = spec_of(kModel + "data:\n  train: {source: plugin, name: numbers}\n" + more);
    ConfigData data(spec.data, {}, spec.origins, [](const config::PluginSource&, const std::string&) {
      return std::make_unique<sources::PlainSource>(std::make_shared<Numbers>());
    });
    try {
      const DataLoader opened = data.open(Part::train);
      CHECK(opened.stream != nullptr);
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string why = ": data.train is a stream, of which nothing is known beforehand";
  CHECK(fault("").empty());
  CHECK(fault("  val: {split: 0.5}\n").ends_with("data.val" + why));
  CHECK(fault("  test: {split: 0.5}\n").ends_with("data.test" + why));
  CHECK(fault("  normalize: standard\n").ends_with("data.normalize" + why));
}

TEST_CASE("fields get the names that the model knows, also in the data's description") {
  const Table table(3);
  const std::string source = "{source: csv, path: " + table.path() + ", target: [y], rename: ";
  auto data = config_data("train: " + source +
                          "{features: input, target: label}}\n  val: {split: 0.4}\n  normalize: min_max");
  CHECK(data.info().find("features") == nullptr);
  CHECK(data.info().at("input").columns == Texts{"x"});
  const Batch batch = all_of(*data.open(Part::train).dataset);
  CHECK(batch.contains("input"));
  CHECK(batch.contains("label"));
  CHECK_FALSE(batch.contains("features"));
  CHECK(batch["input"].max().item<float>() == 1);
  CHECK(refused_part("train: " + source + "{feature: input}}", Part::train)
            .ends_with("data.train.rename.feature: there is no such field; there are features, target"));
  CHECK(refused_part("train: " + source + "{features: target}}", Part::train)
            .ends_with("data.train.rename: two fields would be called 'target'"));
}
