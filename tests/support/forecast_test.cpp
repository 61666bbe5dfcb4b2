#include "support/forecast.hpp"

#include "support/catch.hpp"

#include <cmath>
#include <functional>
#include <random>
#include <utility>
#include <vector>

using namespace lightrun::support;

namespace {

/// A run as it would be, on a clock that costs nothing. Times are in seconds.
struct SimulatedRun {
  int64_t epochs = 10;
  int64_t batches = 100;           ///< an epoch
  int64_t validation_every = 100;  ///< batches of an epoch
  int64_t validation_epochs = 1;   ///< every so many epochs
  int64_t val_batches = 20;
  int64_t sanity_batches = 0;
  int64_t save_every = 0;  ///< batches, over the whole run; 0: never
  int64_t begins_at = 0;   ///< batches that an earlier process has done
  double batch = 0.010;
  double first_batch = 0.010;  ///< of this process
  double slow_start = 0;       ///< more a batch, in the first slow_batches
  int64_t slow_batches = 0;
  double epoch_start = 0;  ///< before each epoch's first batch
  double val_batch = 0.1;
  double save = 0;
  double jitter = 0;  ///< each batch takes up to this share more or less

  /// The time that was forecast at each moment, and the moment.
  struct Forecasts {
    std::vector<std::pair<double, std::optional<double>>> at;
    double end = 0;
  };

  [[nodiscard]] bool validates(int64_t epoch, int64_t done) const {
    return val_batches > 0 && (epoch + 1) % validation_epochs == 0 && done % validation_every == 0;
  }

  [[nodiscard]] Forecasts run() const {
    std::vector<int64_t> validations_after(static_cast<std::size_t>(epochs * batches) + 1, 0);
    for (int64_t i = epochs * batches; i > 0; --i)
      validations_after[static_cast<std::size_t>(i - 1)] =
          validations_after[static_cast<std::size_t>(i)] +
          (validates((i - 1) / batches, (i - 1) % batches + 1) ? 1 : 0);

    std::mt19937 random(7);
    std::uniform_real_distribution<double> spread(1 - jitter, 1 + jitter);
    Forecast forecast;
    Forecasts forecasts;
    double now = 0;
    const auto look = [&](int64_t done, bool validation_is_due) {
      const WorkLeft left{
          .batches = epochs * batches - done,
          .validations = validations_after[static_cast<std::size_t>(done)] + (validation_is_due ? 1 : 0),
          .epochs = epochs - 1 - (done == 0 ? 0 : (done - 1) / batches)};
      forecasts.at.emplace_back(now, forecast.seconds_left(left, now));
    };
    const auto validation = [&](int64_t count, const std::function<void()>& each) {
      forecast.validation_started(now, val_batches);
      for (int64_t i = 0; i < count; ++i) {
        now += val_batch * spread(random);
        forecast.validation_batch_done(now);
        each();
      }
    };
    validation(sanity_batches, [] {});
    forecasts.at.clear();
    now = 0;
    forecast.training_started(now);
    for (int64_t done = begins_at; done < epochs * batches; ++done) {
      if (done % batches == 0 || done == begins_at) {
        forecast.epoch_started();
        now += epoch_start;
      }
      now += (done == begins_at ? first_batch : batch) * spread(random);
      if (done - begins_at < slow_batches) now += slow_start;
      forecast.batch_done(now);
      const bool validates_now = validates(done / batches, done % batches + 1);
      look(done + 1, validates_now);
      if (validates_now) {
        validation(val_batches, [&] { look(done + 1, true); });
        forecast.validation_done(now);
        look(done + 1, false);
      }
      if (save_every > 0 && (done + 1) % save_every == 0) {
        forecast.save_started();
        now += save;
      }
    }
    forecasts.end = now;
    return forecasts;
  }
};

/// The largest error of the time left, as a share of the true one, from 20 % to 95 % of the run.
double worst_error(const SimulatedRun& run) {
  const auto forecasts = run.run();
  double worst = 0;
  int64_t looks = 0;
  for (const auto& [now, left] : forecasts.at) {
    if (now < 0.2 * forecasts.end || now > 0.95 * forecasts.end) continue;
    ++looks;
    const double truth = forecasts.end - now;
    worst = std::max(worst, left ? std::abs(*left - truth) / truth : 1);
  }
  return looks < 20 ? 1 : worst;
}

}  // namespace

TEST_CASE("after a fifth of a run, the time left is right within a tenth") {
  const auto [what, run] = GENERATE(table<const char*, SimulatedRun>({
      {"nothing but batches", {.val_batches = 0}},
      {"a validation after each epoch, longer than it", {}},
      {"a slow first batch", {.first_batch = 3}},
      {"a slow first batch and nothing else", {.val_batches = 0, .first_batch = 2}},
      {"four validations an epoch", {.validation_every = 25, .val_batches = 5}},
      {"a validation every second epoch", {.validation_epochs = 2}},
      {"a validation every third epoch, the last without", {.validation_epochs = 3}},
      {"one long validation every fifth epoch, after a sanity check",
       {.validation_epochs = 5, .val_batches = 100, .sanity_batches = 2}},
      {"one epoch, four validations", {.epochs = 1, .batches = 1000, .validation_every = 250}},
      {"one epoch, a validation at its end",
       {.epochs = 1, .batches = 1000, .validation_every = 1000, .sanity_batches = 2}},
      {"resumed at half", {.begins_at = 500, .first_batch = 2}},
      {"resumed within an epoch", {.begins_at = 530, .first_batch = 2}},
      {"batches that vary by a half", {.jitter = 0.5}},
      {"few batches an epoch, that vary",
       {.epochs = 100,
        .batches = 5,
        .validation_every = 5,
        .val_batches = 1,
        .val_batch = 0.05,
        .jitter = 0.3}},
      {"one batch an epoch",
       {.epochs = 200, .batches = 1, .validation_every = 1, .val_batches = 2, .first_batch = 1}},
      {"a slow start of ten batches", {.val_batches = 0, .slow_start = 0.1, .slow_batches = 10}},
      {"epochs that begin slowly", {.val_batches = 0, .first_batch = 0.5, .epoch_start = 0.7}},
      {"a save after each epoch that holds the run up", {.save_every = 100, .save = 1.5}},
      {"a save every 40 batches that holds the run up", {.val_batches = 0, .save_every = 40, .save = 0.5}},
      {"all of it at once",
       {.validation_every = 50,
        .validation_epochs = 2,
        .sanity_batches = 2,
        .save_every = 50,
        .first_batch = 3,
        .epoch_start = 0.2,
        .save = 0.4,
        .jitter = 0.3}},
  }));
  INFO(what);
  CHECK(worst_error(run) < 0.1);
}

TEST_CASE("nothing is forecast while nobody knows") {
  Forecast forecast;
  CHECK_FALSE(forecast.seconds_left({.batches = 10}, 0));
  forecast.training_started(0);
  forecast.batch_done(2);
  CHECK(forecast.seconds_left({.batches = 10}, 2) == 20);
  // Nobody knows how long a validation of a stream takes before there was one.
  forecast.validation_started(2, std::nullopt);
  CHECK_FALSE(forecast.seconds_left({.batches = 10, .validations = 1}, 2));
  forecast.validation_done(5);
  CHECK(forecast.seconds_left({.batches = 10, .validations = 1}, 5) == 23);
}

TEST_CASE("a sanity check tells what a validation takes") {
  Forecast forecast;
  forecast.validation_started(0, 4);
  forecast.validation_batch_done(3);
  forecast.validation_batch_done(5);
  forecast.training_started(5);
  forecast.batch_done(6);
  CHECK(forecast.seconds_left({.batches = 2, .validations = 1}, 6) == 2 + 4 * 2);
}

TEST_CASE("a run that must end by a time takes no longer than that") {
  Forecast forecast;
  CHECK(forecast.seconds_left({.batches = 10, .seconds = 60}, 0) == 60);
  forecast.training_started(0);
  forecast.batch_done(2);
  CHECK(forecast.seconds_left({.batches = 10, .seconds = 60}, 2) == 20);
  CHECK(forecast.seconds_left({.batches = 10, .seconds = 7}, 2) == 7);
}

TEST_CASE("the time left goes down during a batch, by no more than a batch takes") {
  Forecast forecast;
  forecast.training_started(0);
  forecast.batch_done(4);
  CHECK(forecast.seconds_left({.batches = 2}, 5) == 7);
  CHECK(forecast.seconds_left({.batches = 2}, 50) == 4);
}
