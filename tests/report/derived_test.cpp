#include "report/summary.hpp"
#include "report/thinning.hpp"
#include "report/throughput.hpp"

#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace lightrun::report;

namespace {

using Values = std::vector<double>;

/// Rows 0 to count - 1, one a second, each with "loss" 1.
Metrics flat_metrics(std::size_t count) {
  Metrics metrics;
  metrics.series.push_back({.name = "loss", .rows = {}, .values = {}});
  for (std::size_t i = 0; i < count; ++i) {
    metrics.epochs.push_back(0);
    metrics.steps.push_back(static_cast<int64_t>(i));
    metrics.seconds.push_back(static_cast<double>(i));
    metrics.series[0].rows.push_back(i);
    metrics.series[0].values.push_back(1);
  }
  return metrics;
}

Metrics at_times(std::vector<int64_t> steps, Values seconds) {
  Metrics metrics;
  metrics.epochs.assign(steps.size(), 0);
  metrics.steps = std::move(steps);
  metrics.seconds = std::move(seconds);
  return metrics;
}

}  // namespace

TEST_CASE("throughput is steps by the time between two rows, times the samples of a step") {
  const Metrics metrics = at_times({9, 19, 39}, {1, 2, 6});
  const Series steps = throughput(metrics, std::nullopt);
  CHECK(steps.name == "steps/s");
  CHECK(steps.rows == std::vector<std::size_t>{1, 2});
  CHECK(steps.values == Values{10, 5});
  const Series samples = throughput(metrics, 32);
  CHECK(samples.name == "samples/s");
  CHECK(samples.values == Values{320, 160});
  CHECK(mean_throughput(metrics, 32) == 192);
}

TEST_CASE("throughput waits for 20 ms to be over, and for another step") {
  CHECK(throughput(at_times({0, 1, 2, 2}, {0, 0.01, 0.02, 0.5}), std::nullopt).values == Values{100});
  CHECK(throughput(at_times({0, 1}, {0, 0.001}), std::nullopt).values.empty());
  CHECK_FALSE(mean_throughput(at_times({5}, {1}), std::nullopt));
}

TEST_CASE("throughput begins afresh where a run was taken up again further back") {
  CHECK(throughput(at_times({0, 10, 5, 7}, {0, 1, 3, 4}), std::nullopt).values == Values{10, 2});
}

TEST_CASE("few rows are not thinned") {
  CHECK(thinned(flat_metrics(10), 10).rows() == 10);
}

TEST_CASE("of many rows spikes, what is not finite and the ends remain") {
  Metrics metrics = flat_metrics(10'000);
  metrics.series[0].values[1234] = 99;
  metrics.series[0].values[5678] = -99;
  metrics.series[0].values[7777] = std::numeric_limits<double>::quiet_NaN();
  const Metrics few = thinned(std::move(metrics), 300);
  CHECK(few.rows() <= 302);
  CHECK(few.rows() >= 100);
  for (const int64_t step : {0, 1234, 5678, 7777, 9999}) {
    CAPTURE(step);
    CHECK(std::ranges::count(few.steps, step) == 1);
  }
  const Series& loss = few.series[0];
  REQUIRE(std::ranges::count(loss.values, 99) == 1);
  CHECK(few.steps[loss.rows[static_cast<std::size_t>(std::ranges::find(loss.values, 99) -
                                                     loss.values.begin())]] == 1234);
}

TEST_CASE("a series with few values keeps them all when others are thinned") {
  Metrics metrics = flat_metrics(10'000);
  metrics.series.push_back({.name = "val", .rows = {}, .values = {}});
  for (std::size_t row = 99; row < 10'000; row += 100) {
    metrics.series[1].rows.push_back(row);
    metrics.series[1].values.push_back(static_cast<double>(row));
  }
  const Metrics few = thinned(std::move(metrics), 300);
  CHECK(few.rows() <= 302);
  REQUIRE(few.find("val")->values.size() == 100);
  for (std::size_t i = 0; i < 100; ++i)
    CHECK(few.seconds[few.find("val")->rows[i]] == few.find("val")->values[i]);
}

TEST_CASE("the name of a metric says what is better") {
  for (const char* name : {"val_loss", "train_loss_epoch", "test/mse", "Val_Perplexity"}) {
    CAPTURE(name);
    CHECK(better_by_name(name) == Better::lower);
  }
  for (const char* name : {"val_acc", "accuracy", "val/F1", "top5"}) {
    CAPTURE(name);
    CHECK(better_by_name(name) == Better::higher);
  }
  for (const char* name : {"lr", "grad_2_norm_loss.weight", "glossiness", "pace"}) {
    CAPTURE(name);
    CHECK(better_by_name(name) == Better::unknown);
  }
}

TEST_CASE("the best value is the first lowest or highest finite one") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Series series{.name = "x", .rows = {1, 3, 5, 7, 9}, .values = {2, 1, 3, 1, nan}};
  const Summary lower = summary_of(series, Better::lower);
  REQUIRE(lower.best);
  CHECK(lower.best->value == 1);
  CHECK(lower.best->row == 3);
  CHECK(summary_of(series, Better::higher).best.value().row == 5);
  CHECK_FALSE(summary_of(series, Better::unknown).best);
  CHECK(lower.highest.value().value == 3);
  CHECK(std::isnan(lower.final.value));
  CHECK(lower.final.row == 9);
  CHECK_FALSE(summary_of({.name = "x", .rows = {0}, .values = {nan}}, Better::lower).best);
}
