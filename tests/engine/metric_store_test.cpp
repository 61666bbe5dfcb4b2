#include "engine/metric_store.hpp"

#include "support/catch.hpp"

#include <lightrun/error.hpp>

using namespace lightrun;
using engine::MetricStore;
using Scope = engine::MetricStore::Scope;

TEST_CASE("an epoch's mean weighs each batch by its samples") {
  MetricStore store;
  for (const auto& [samples, value] :
       {std::pair<int64_t, double>{4, 1.0}, std::pair<int64_t, double>{1, 6.0}}) {
    store.begin_batch(Scope::validation, samples);
    store.log("val_loss", value, {});
  }
  CHECK(store.end_epoch(Scope::validation) == Metrics{{"val_loss", 2.0}});
  CHECK(store.latest() == Metrics{{"val_loss", 2.0}});
}

TEST_CASE("sum, min and max do not weigh") {
  MetricStore store;
  for (const double value : {3.0, -1.0, 2.0}) {
    store.begin_batch(Scope::validation, 7);
    store.log("sum", value, {.reduce = Reduce::sum});
    store.log("min", value, {.reduce = Reduce::min});
    store.log("max", value, {.reduce = Reduce::max});
  }
  CHECK(store.end_epoch(Scope::validation) == Metrics{{"max", 3.0}, {"min", -1.0}, {"sum", 4.0}});
}

TEST_CASE("in training a metric is logged on the step by default, in validation on the epoch") {
  MetricStore store;
  store.begin_batch(Scope::training, 1);
  store.log("a", 1.0, {});
  store.log("b", 2.0, {.on_epoch = true});
  store.log("c", 3.0, {.on_step = true, .on_epoch = true});
  CHECK(store.step_values() == Metrics{{"a", 1.0}, {"c", 3.0}});
  CHECK(store.end_epoch(Scope::training) == Metrics{{"b", 2.0}, {"c_epoch", 3.0}});
}

TEST_CASE("a step's values are those of its own batch") {
  MetricStore store;
  store.begin_batch(Scope::training, 1);
  store.log("a", 1.0, {});
  store.begin_batch(Scope::training, 1);
  store.log("b", 2.0, {});
  CHECK(store.step_values() == Metrics{{"b", 2.0}});
  CHECK(store.latest() == Metrics{{"a", 1.0}, {"b", 2.0}});
}

TEST_CASE("each epoch starts anew") {
  MetricStore store;
  store.begin_batch(Scope::validation, 1);
  store.log("v", 1.0, {});
  store.end_epoch(Scope::validation);
  store.begin_batch(Scope::validation, 1);
  store.log("v", 5.0, {});
  CHECK(store.end_epoch(Scope::validation) == Metrics{{"v", 5.0}});
  CHECK(store.end_epoch(Scope::validation).empty());
}

TEST_CASE("a sanity check's metrics are forgotten") {
  MetricStore store;
  store.begin_batch(Scope::validation, 1);
  store.log("v", 9.0, {.prog_bar = true});
  store.end_epoch(Scope::validation, false);
  CHECK(store.latest().empty());
  CHECK(store.progress_bar().empty());
}

TEST_CASE("the loss is train_loss, unless the model logs that itself") {
  MetricStore store;
  store.begin_batch(Scope::training, 1);
  store.log("train_loss", 99.0, {});
  store.log_loss("train_loss", 1);
  CHECK(store.step_values() == Metrics{{"train_loss", 99.0}});
}

TEST_CASE("of a batch in splits the last loss is the batch's, and all are in the epoch's mean") {
  MetricStore store;
  store.begin_batch(Scope::training, 1);
  for (const double loss : {4.0, 3.0, 2.0}) store.log_loss("train_loss", loss);
  CHECK(store.step_values() == Metrics{{"train_loss", 2.0}});
  CHECK(store.end_epoch(Scope::training) == Metrics{{"train_loss_epoch", 3.0}});
}

TEST_CASE("the bar's loss is the mean of the last 20 accumulation windows, each the mean of its losses") {
  MetricStore store;
  store.close_window();
  CHECK(store.progress_bar().empty());
  for (int i = 1; i <= 25; ++i) {
    store.begin_batch(Scope::training, 1);
    store.log_loss("train_loss", i - 1);
    store.log_loss("train_loss", i + 1);
    store.close_window();
  }
  CHECK(store.progress_bar().at("loss") == 15.5);  // mean of 6..25
}

TEST_CASE("the store knows every name, also of a sanity check, and how often each has a new value") {
  MetricStore store;
  store.begin_batch(Scope::validation, 1);
  store.log("val_loss", 1.0, {});
  store.end_epoch(Scope::validation, false);
  store.begin_batch(Scope::training, 1);
  store.log("x", 1.0, {.on_step = true, .on_epoch = true});
  CHECK(store.names() == std::vector<std::string>{"val_loss", "x", "x_epoch"});
  CHECK(store.times_published("val_loss") == 0);
  CHECK(store.times_published("x") == 1);
  store.end_epoch(Scope::training);
  CHECK(store.times_published("x_epoch") == 1);
}

TEST_CASE("a metric is one number") {
  MetricStore store;
  store.begin_batch(Scope::training, 1);
  CHECK_THROWS_WITH(store.log("m", torch::zeros({2}), {}),
                    "log(\"m\"): a metric is one number, not a tensor of shape [2]");
}
