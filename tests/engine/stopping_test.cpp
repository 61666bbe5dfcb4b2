#include "callbacks/early_stopping.hpp"
#include "callbacks/model_checkpoint.hpp"
#include "engine/tiny_run.hpp"
#include "support/catch.hpp"

#include <limits>
#include <thread>

using namespace lightrun;
using callbacks::EarlyStopping;
using test::kNan;
using test::Linear;
using test::Validated;

namespace {

/// How many epochs a run of three batches takes with early stopping over these values of val_loss.
int64_t epochs_with(std::vector<double> values, EarlyStopping::Rule rule, config::TrainerSpec trainer = {},
                    bool higher_is_better = false) {
  if (trainer.max_epochs == 1000) trainer.max_epochs = static_cast<int64_t>(values.size());
  auto run = test::make_run(Validated::counting(3, std::move(values)), trainer);
  test::add<EarlyStopping>(*run, EarlyStopping::Options{.higher_is_better = higher_is_better}, rule);
  engine::fit(*run);
  CHECK(run->state.global_step % 3 == 0);
  return run->state.global_step / 3;
}

/// Asks for a stop after the batch that is run-wide number `batch` (from 1).
void stop_after_batch(engine::Run& run, int64_t batch) {
  test::record(run).at = [batch](Event event, Context& context) {
    if (event == Event::on_train_batch_end && context.batches_seen() + 1 == batch)
      context.request_stop("enough");
  };
}

}  // namespace

TEST_CASE("early stopping ends after `patience` values in a row that are no better; an equal one is none") {
  CHECK(epochs_with({1, 2, 3, 4}, {.patience = 1}) == 2);
  CHECK(epochs_with({1, 2, 3, 4}, {.patience = 0}) == 2);
  CHECK(epochs_with({1, 2, 0.5, 2, 2, 2}, {.patience = 2}) == 5);
  CHECK(epochs_with({1, 1, 1, 1}, {.patience = 3}) == 4);
  CHECK(epochs_with({4, 3, 2, 1}, {.patience = 1}) == 4);
  CHECK(epochs_with({1, 2, 3, 3}, {.patience = 1}, {}, /*higher_is_better=*/true) == 4);
}

TEST_CASE("a value is better only by more than min_delta") {
  CHECK(epochs_with({1, 0.75, 0.5, 0.25}, {.patience = 1, .min_delta = 0.25}) == 2);
  CHECK(epochs_with({1, 0.5, 0.1, 0.05}, {.patience = 1, .min_delta = 0.25}) == 4);
}

TEST_CASE("H18: a NaN is no improvement for early stopping, in both modes, and check_finite stops at it") {
  CHECK(epochs_with({kNan, kNan, 0.5, 0.4}, {.patience = 2}) == 2);
  CHECK(epochs_with({kNan, 0.5, kNan, 0.4}, {.patience = 2}) == 4);
  CHECK(epochs_with({kNan, 0.5, kNan, 0.6}, {.patience = 2}, {}, /*higher_is_better=*/true) == 4);
  CHECK(epochs_with({1, kNan, 0.5}, {.patience = 9, .check_finite = true}) == 2);
}

TEST_CASE("a threshold passed stops at once") {
  CHECK(epochs_with({1, 0.5, 0.05, 0.01}, {.stopping_threshold = 0.1}) == 3);
  CHECK(epochs_with({1, 5, 20, 1}, {.patience = 9, .divergence_threshold = 10}) == 3);
}

TEST_CASE("patience counts validations, not epochs") {
  auto run = test::make_run(Validated::counting(4, {1, 2, 3, 4}),
                            {.max_epochs = 9, .val_check_interval = config::Limit::of_count(1)});
  test::add<EarlyStopping>(*run, EarlyStopping::Options{}, EarlyStopping::Rule{.patience = 2});
  engine::fit(*run);
  CHECK(run->state.batches_seen == 3);
  CHECK(run->stop_reason == "early_stopping: val_loss has been no better than 1 for 2 values in a row");
}

TEST_CASE("without validation early stopping looks at every epoch's end") {
  const auto model = Linear::counting(2);
  auto run = test::make_run(model, {.max_epochs = 9});
  // The loss falls without end: watched for the highest value, no epoch is better than the first.
  test::add<EarlyStopping>(*run,
                           EarlyStopping::Options{.metric = "train_loss_epoch", .higher_is_better = true},
                           EarlyStopping::Rule{.patience = 2});
  engine::fit(*run);
  CHECK(run->state.epoch == 2);
}

TEST_CASE("early stopping waits for min_epochs, and its wish is not forgotten") {
  CHECK(epochs_with({1, 2, 3, 4, 5, 6}, {.patience = 0}, {.min_epochs = 4}) == 4);
  CHECK(epochs_with({1, 2, 0.5, 0.4, 0.3, 0.2}, {.patience = 1}, {.min_epochs = 4}) == 4);
}

TEST_CASE("a wish to stop waits for min_steps and is granted at exactly that step, in mid-epoch") {
  auto run = test::make_run(Linear::counting(4), {.max_epochs = 9, .min_steps = 6});
  stop_after_batch(*run, 1);
  engine::fit(*run);
  CHECK(run->state.global_step == 6);
  CHECK(run->stop_reason == "enough");
}

TEST_CASE("without a minimum a wish to stop is granted after its batch") {
  auto run = test::make_run(Linear::counting(4), {.max_epochs = 9});
  stop_after_batch(*run, 2);
  engine::fit(*run);
  CHECK(run->state.batches_seen == 2);
}

TEST_CASE("min_epochs and min_steps never make a run longer than max_epochs and max_steps") {
  CHECK(test::fit(Linear::counting(3), {.max_epochs = 2, .min_epochs = 5})->state.global_step == 6);
  CHECK(
      test::fit(Linear::counting(3), {.max_epochs = 9, .max_steps = 4, .min_steps = 8})->state.global_step ==
      4);
}

TEST_CASE("max_epochs 0 trains nothing, and starts and ends the training all the same") {
  auto run = test::make_run(Linear::counting(3), {.max_epochs = 0});
  auto& recorder = test::record(*run);
  engine::fit(*run);
  CHECK(run->state.global_step == 0);
  CHECK(std::ranges::count(recorder.events, Event::on_train_end) == 1);
  CHECK(std::ranges::count(recorder.events, Event::on_epoch_start) == 0);
}

TEST_CASE("max_epochs -1 ends where something else does") {
  CHECK(test::fit(Linear::counting(3), {.max_epochs = -1, .max_steps = 3001})->state.epoch == 1000);
}

TEST_CASE("max_time ends the run after the batch that is under way, unless a minimum holds it") {
  const auto slow = [] {
    const auto model = Linear::counting(1000);
    model->on_step = [](const StepInfo&) { std::this_thread::sleep_for(std::chrono::milliseconds(2)); };
    return model;
  };
  const auto run = test::fit(slow(), {.max_epochs = 9, .max_time = 0.02});
  CHECK(run->state.batches_seen >= 1);
  CHECK(run->state.batches_seen <= 10);
  CHECK(run->stop_reason == "max_time 20 ms reached");
  CHECK(test::fit(slow(), {.max_epochs = 9, .min_steps = 30, .max_time = 0.02})->state.batches_seen == 30);
}

TEST_CASE("H18: the best is never NaN, whichever way is better") {
  const auto best_epoch = [](bool higher_is_better) {
    auto run = test::make_run(Validated::counting(2, {kNan, 0.5, kNan, 0.4}), {.max_epochs = 4});
    test::add<callbacks::ModelCheckpoint>(*run,
                                          callbacks::Monitor::Options{.higher_is_better = higher_is_better},
                                          callbacks::ModelCheckpoint::Rule());
    int64_t best = -1;
    auto& recorder = test::record(*run);
    recorder.at = [&](Event event, Context& context) {
      const auto& saves = run->requests.saves;
      const bool asked = std::ranges::find(saves, "best", &engine::SaveRequest::name) != saves.end();
      if (event == Event::on_validation_end && asked) best = context.epoch();
    };
    engine::fit(*run);
    return best;
  };
  CHECK(best_epoch(false) == 3);
  CHECK(best_epoch(true) == 1);
}

TEST_CASE("a metric that nobody logs is an error at the end of the first epoch, with what there is") {
  auto run = test::make_run(Validated::counting(2), {.max_epochs = 3});
  test::add<EarlyStopping>(*run, EarlyStopping::Options{.metric = "val_los", .origin = "a.yaml:3:5: "},
                           EarlyStopping::Rule{});
  CHECK_THROWS_WITH(
      engine::fit(*run),
      "a.yaml:3:5: no metric 'val_los' was logged (did you mean val_loss?); there are train_loss, "
      "train_loss_epoch, val_loss");
  CHECK(run->state.epoch == 0);
}

TEST_CASE("a metric of training may be watched in a run with validation") {
  auto run = test::make_run(Validated::counting(2), {.max_epochs = 5});
  test::add<EarlyStopping>(*run,
                           EarlyStopping::Options{.metric = "train_loss_epoch", .higher_is_better = true},
                           EarlyStopping::Rule{.patience = 1});
  engine::fit(*run);
  CHECK(run->state.epoch == 1);
}
