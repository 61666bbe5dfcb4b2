#include "engine/tiny_run.hpp"
#include "loggers/logger.hpp"
#include "support/catch.hpp"

#include <map>

using namespace lightrun;
using test::Linear;

namespace {

/// Keeps the rows, merged by step, as a file would.
class Kept : public loggers::Logger {
 public:
  explicit Kept(std::map<int64_t, Metrics>& rows) : rows_(rows) {}
  void log_metrics(int64_t step, int64_t /*epoch*/, double /*seconds*/, const Metrics& metrics) override {
    for (const auto& [name, value] : metrics) rows_[step][name] = value;
  }
  void flush() override {}
  void finalize(const std::string& /*status*/) override {}

 private:
  std::map<int64_t, Metrics>& rows_;
};

/// Losses are 0 as long as w is: a frozen rate keeps it there.
class Constant : public Linear {
 public:
  using Linear::Linear;
  StepResult training_step(const Batch& batch, const StepInfo& info) override {
    return Linear::training_step(batch, info).loss + static_cast<double>(info.batch_idx + 1);
  }
  Optimizers configure_optimizers() override {
    return std::make_unique<torch::optim::SGD>(std::vector{w}, torch::optim::SGDOptions(0));
  }
  void validation_step(const Batch& /*batch*/, const StepInfo& info) override {
    log("val_loss", static_cast<double>(info.batch_idx), {.on_step = true, .on_epoch = true});
  }
  DataLoader val_dataloader() override { return train_dataloader(); }
};

std::map<int64_t, Metrics> rows_of(config::TrainerSpec trainer,
                                   std::function<void(Event, Context&)> at = {}) {
  std::map<int64_t, Metrics> rows;
  auto run = test::make_run(make_module<Constant>(std::vector<std::vector<double>>{{1}, {2}, {3}}), trainer);
  run->loggers.push_back(std::make_unique<Kept>(rows));
  test::record(*run).at = std::move(at);
  engine::fit(*run);
  return rows;
}

}  // namespace

TEST_CASE("an epoch's last step has its own loss, the epoch's mean and the validation in one row") {
  const auto rows = rows_of({.max_epochs = 2, .log_every_n_steps = 50});
  REQUIRE(rows.size() == 2);
  for (const int64_t step : {2, 5}) {
    CAPTURE(step);
    CHECK(rows.at(step) ==
          Metrics{{"lr", 0}, {"train_loss", 3}, {"train_loss_epoch", 2}, {"val_loss_epoch", 1}});
  }
}

TEST_CASE("log_every_n_steps counts steps over the whole run") {
  const auto rows =
      rows_of({.max_epochs = 2, .limit_val_batches = config::Limit::of_count(0), .log_every_n_steps = 2});
  std::vector<int64_t> steps;
  for (const auto& [step, row] : rows) steps.push_back(step);
  CHECK(steps == std::vector<int64_t>{1, 2, 3, 5});
  CHECK(rows.at(1) == Metrics{{"lr", 0}, {"train_loss", 2}});
}

TEST_CASE("what a callback logs at the epoch's end is in the epoch's row") {
  const auto rows = rows_of({.max_epochs = 1}, [](Event event, Context& context) {
    if (event == Event::on_train_epoch_end) context.log("seen", static_cast<double>(context.batches_seen()));
  });
  CHECK(rows.at(2).at("seen") == 3);
}

TEST_CASE("a sanity check leaves no metric behind") {
  rows_of({.max_epochs = 1}, [](Event event, Context& context) {
    if (event == Event::on_sanity_check_end || event == Event::on_train_start)
      CHECK(context.metrics().empty());
  });
}

TEST_CASE("what a hook outside of batches logs is in a row too, none is late or lost") {
  const auto rows = rows_of({.max_epochs = 2, .limit_val_batches = config::Limit::of_count(0)},
                            [](Event event, Context& context) {
                              switch (event) {
                                case Event::on_train_start:
                                case Event::on_train_epoch_start:
                                case Event::on_epoch_end:
                                case Event::on_train_end:
                                case Event::on_fit_end:
                                  context.log(event_name(event), static_cast<double>(context.epoch()),
                                              {.on_epoch = event == Event::on_epoch_end});
                                  break;
                                default:
                                  break;
                              }
                            });
  CHECK(rows.at(0).at("on_train_start") == 0);
  CHECK(rows.at(0).at("on_train_epoch_start") == 0);
  CHECK(rows.at(3).at("on_train_epoch_start") == 1);
  CHECK(rows.at(2).at("on_epoch_end") == 0);
  CHECK(rows.at(5).at("on_epoch_end") == 1);
  CHECK(rows.at(5).at("on_train_end") == 1);
  CHECK(rows.at(5).at("on_fit_end") == 1);
}

TEST_CASE("after an exception the last step that was done has its row") {
  std::map<int64_t, Metrics> rows;
  auto run = test::make_run(make_module<Constant>(std::vector<std::vector<double>>{{1}, {2}, {3}}),
                            {.max_epochs = 9, .limit_val_batches = config::Limit::of_count(0)});
  run->loggers.push_back(std::make_unique<Kept>(rows));
  test::record(*run).at = [](Event event, Context& context) {
    if (event == Event::on_train_batch_start && context.batches_seen() == 5) throw std::runtime_error("boom");
  };
  CHECK_THROWS(engine::fit(*run));
  CHECK(rows.at(4) == Metrics{{"lr", 0}, {"train_loss", 2}});
}

TEST_CASE("where an epoch's last batch makes no step, the step before it has the row") {
  class LastSkipped : public Constant {
   public:
    using Constant::Constant;
    StepResult training_step(const Batch& batch, const StepInfo& info) override {
      return info.batch_idx == 2 ? StepResult() : Constant::training_step(batch, info);
    }
  };
  std::map<int64_t, Metrics> rows;
  auto run = test::make_run(make_module<LastSkipped>(std::vector<std::vector<double>>{{1}, {2}, {3}}),
                            {.max_epochs = 2});
  run->loggers.push_back(std::make_unique<Kept>(rows));
  engine::fit(*run);
  REQUIRE(rows.size() == 2);
  for (const int64_t step : {1, 3}) {
    CAPTURE(step);
    CHECK(rows.at(step) ==
          Metrics{{"lr", 0}, {"train_loss", 2}, {"train_loss_epoch", 1.5}, {"val_loss_epoch", 1}});
  }
}
