#include "engine/data.hpp"

#include "engine/failure.hpp"
#include "schedule/limits.hpp"
#include "schedule/window.hpp"

#include <lightrun/error.hpp>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <utility>

namespace lightrun::engine {
namespace {

/// Runs a piece of the plugin outside the loop. What it throws becomes a RunError that says which piece it
/// was.
template <typename Function>
auto guarded(const Run& run, std::string_view piece, Function&& function) {
  try {
    return function();
  } catch (const Error&) {
    throw;
  } catch (...) {
    throw RunError("model " + run.info.model_name + ": " + std::string(piece) +
                   " failed: " + describe(std::current_exception()));
  }
}

sources::ConfigData::Part part_of(Event hook) {
  using Part = sources::ConfigData::Part;
  switch (hook) {
    case Event::train_dataloader:
      return Part::train;
    case Event::val_dataloader:
      return Part::val;
    case Event::predict_dataloader:
      return Part::predict;
    default:
      return Part::test;
  }
}

DataLoader ask_model(const Run& run, Event hook) {
  const support::Wait wait(run.screen, "loading data");
  return guarded(run, event_name(hook), [&] {
    switch (hook) {
      case Event::train_dataloader:
        return run.model->train_dataloader();
      case Event::val_dataloader:
        return run.model->val_dataloader();
      case Event::predict_dataloader:
        return run.model->predict_dataloader();
      default:
        return run.model->test_dataloader();
    }
  });
}

/// The config's data, or else the model's.
DataLoader ask(Run& run, Event hook) {
  const auto part = part_of(hook);
  if (run.config_data && run.config_data->has(part)) return run.config_data->open(part);
  return ask_model(run, hook);
}

/// A stream may draw from LibTorch's own generator, as the model does: it cannot be read beside it.
void warn_of_idle_workers(Run& run) {
  if (run.spec.data.workers == 0 || std::exchange(run.warned_of_stream, true)) return;
  spdlog::warn("{}the data is a stream, which the loop reads itself: workers have no effect on it",
               run.at_setting("data.workers"));
}

data::Loader loader_with(Run& run, DataLoader description, data::Loader::Purpose purpose) {
  if (description.stream) warn_of_idle_workers(run);
  const data::Reading reading{.pins = run.device.is_cuda(), .turn = run.reading_turn};
  return {std::move(description), run.spec.data, purpose, run.spec.seed, reading};
}

data::Loader load(Run& run, Event hook, data::Loader::Purpose purpose) {
  return loader_with(run, ask(run, hook), purpose);
}

/// The first batches of a stream, kept in memory: it may be the only one of its kind.
class FirstBatches : public IterableDataset {
 public:
  FirstBatches(IterableDataset& stream, int64_t count) {
    stream.reset(0);
    while (static_cast<int64_t>(batches_.size()) < count) {
      auto batch = stream.next();
      if (!batch) break;
      batches_.push_back(std::move(*batch));
    }
  }
  void reset(int64_t /*epoch*/) override { next_ = 0; }
  std::optional<Batch> next() override {
    return next_ < batches_.size() ? std::optional(batches_[next_++]) : std::nullopt;
  }

 private:
  std::vector<Batch> batches_;
  std::size_t next_ = 0;
};

/// The same batches for both, in their own order.
void overfit(Run& run, DataLoader training) {
  const config::Limit& limit = run.spec.trainer.overfit_batches;
  if (training.stream && limit.kind == config::Limit::Kind::count) {
    const auto first =
        guarded(run, "the training stream", [&] { return FirstBatches(*training.stream, limit.count); });
    run.train_loader.emplace(
        loader_with(run, std::make_shared<FirstBatches>(first), data::Loader::Purpose::train));
    run.val_loader.emplace(
        loader_with(run, std::make_shared<FirstBatches>(first), data::Loader::Purpose::validate));
    return;
  }
  training.shuffle = false;
  run.train_loader.emplace(loader_with(run, training, data::Loader::Purpose::train));
  training.drop_last = training.drop_last.value_or(run.spec.data.drop_last);
  run.val_loader.emplace(loader_with(run, std::move(training), data::Loader::Purpose::validate));
}

void load_data(Run& run) {
  if (schedule::overfits(run.spec.trainer)) {
    overfit(run, ask(run, Event::train_dataloader));
  } else {
    run.train_loader.emplace(load(run, Event::train_dataloader, data::Loader::Purpose::train));
    run.val_loader.emplace(load(run, Event::val_dataloader, data::Loader::Purpose::validate));
  }
  if (run.train_loader->empty()) {
    throw RunError("model " + run.info.model_name + " has no training data: train_dataloader() gives none");
  }
  if (run.train_loader->batches() == 0) throw RunError("the training data holds not a single batch");
}

void check_limit(const Run& run, const char* setting, const config::Limit& limit,
                 std::optional<int64_t> available) {
  switch (schedule::check_limit(limit, available)) {
    case schedule::LimitFault::none:
      return;
    case schedule::LimitFault::fraction_gives_none:
      throw ConfigError(run.at_setting(setting) + limit.text() + " of " + std::to_string(*available) +
                        " batches is none; give a larger fraction, or a number of batches such as 1");
    case schedule::LimitFault::fraction_of_a_stream:
      throw ConfigError(
          run.at_setting(setting) + limit.text() +
          ": the data is a stream of unknown length, which a fraction cannot limit; give a number of "
          "batches");
  }
}

void check_interval(const Run& run) {
  constexpr const char* kSetting = "trainer.val_check_interval";
  const config::Limit& interval = run.spec.trainer.val_check_interval;
  const auto refuse = [&](const std::string& why) {
    throw ConfigError(run.at_setting(kSetting) + interval.text() + why);
  };
  const std::string epoch = std::to_string(run.plan.train_batches.value_or(0)) + " batches";
  switch (schedule::check_interval(run.spec.trainer, run.plan.train_batches)) {
    case schedule::IntervalFault::none:
      return;
    case schedule::IntervalFault::longer_than_epoch:
      return refuse(
          " is more than an epoch has (" + epoch +
          "), so no validation would ever come; give at most that, or check_val_every_n_epoch: null "
          "to count batches across epochs");
    case schedule::IntervalFault::fraction_gives_none:
      return refuse(" of " + epoch + " is none; give a larger fraction, or a number of batches such as 1");
    case schedule::IntervalFault::fraction_of_a_stream:
      return refuse(
          ": the training data is a stream of unknown length; give a number of batches, or 1.0 for "
          "its end");
  }
}

/// A count is capped at what there is, which may be a surprise.
void notice_short_data(const Run& run, const char* setting, const config::Limit& limit,
                       std::optional<int64_t> available) {
  if (limit.kind != config::Limit::Kind::count || !available || limit.count <= *available) return;
  spdlog::warn("{}{} batches, but there are only {}", run.at_setting(setting), limit.count, *available);
}

void warn_of_long_window(const Run& run) {
  int64_t longest = 0;
  for (const auto& [epoch, factor] : run.plan.accumulation) longest = std::max(longest, factor);
  if (!run.plan.train_batches || longest <= *run.plan.train_batches) return;
  spdlog::warn("{}{} batches a step, but an epoch has only {}: there is one step an epoch",
               run.at_setting("trainer.accumulate_grad_batches"), longest, *run.plan.train_batches);
}

std::string limiting_setting(const config::TrainerSpec& trainer) {
  if (trainer.fast_dev_run > 0) return "fast_dev_run";
  return schedule::overfits(trainer) ? "overfit_batches" : "limit_train_batches";
}

void make_plan(Run& run) {
  const config::TrainerSpec& trainer = run.spec.trainer;
  schedule::Available available{.train = run.train_loader->batches(), .val = 0};
  if (!run.val_loader->empty() && run.model->overrides().contains(Event::validation_step)) {
    available.val = run.val_loader->batches();
  }
  const bool overfits = schedule::overfits(trainer);
  const char* train_limit = overfits ? "trainer.overfit_batches" : "trainer.limit_train_batches";
  check_limit(run, train_limit, schedule::train_limit(trainer), available.train);
  check_limit(run, overfits ? train_limit : "trainer.limit_val_batches", schedule::val_limit(trainer),
              available.val);
  run.plan = schedule::make_plan(trainer, available);
  if (run.plan.validates()) check_interval(run);
  if (run.plan.train_batches == 0) {
    throw ConfigError(run.at_setting("trainer.limit_train_batches") + "0 leaves nothing to train on");
  }

  RunInfo& info = run.info;
  info.seed = run.spec.seed;
  info.train_samples = run.train_loader->samples();
  info.val_samples = run.val_loader->samples();
  info.batch_size = run.train_loader->batch_size();
  info.train_batches = run.plan.train_batches;
  info.train_batches_available = available.train;
  info.val_batches = run.plan.val_batches;
  info.val_batches_available = available.val;
  info.sanity_batches = run.plan.sanity_batches;
  info.limited_by = limiting_setting(trainer);
  info.val_check_batches = run.plan.val_check_batches;
  if (run.plan.max_epochs != schedule::Plan::kNoLimit) info.max_epochs = run.plan.max_epochs;
  info.max_steps = run.plan.max_steps;
  info.accumulate_grad_batches = schedule::accumulation_factor(run.plan.accumulation, 0);
  if (const auto totals = run.plan.totals()) {
    info.total_steps = totals->steps;
    info.total_batches = totals->batches;
  }
}

}  // namespace

void prepare(Run& run) {
  load_data(run);
  make_plan(run);
  const config::TrainerSpec& trainer = run.spec.trainer;
  notice_short_data(run,
                    schedule::overfits(trainer) ? "trainer.overfit_batches" : "trainer.limit_train_batches",
                    schedule::train_limit(trainer), run.train_loader->batches());
  warn_of_long_window(run);
}

void prepare_test(Run& run) {
  if (!run.model->overrides().contains(Event::test_step)) {
    throw RunError("model " + run.info.model_name + " cannot be tested: it does not override test_step()");
  }
  run.test_loader.emplace(load(run, Event::test_dataloader, data::Loader::Purpose::validate));
  if (run.test_loader->empty()) {
    throw RunError(
        fmt::format("model {} has no test data: {}", run.info.model_name,
                    run.spec.data.train ? "give data.test in the config" : "test_dataloader() gives none"));
  }
  constexpr const char* kLimit = "trainer.limit_test_batches";
  const auto available = run.test_loader->batches();
  check_limit(run, kLimit, run.spec.trainer.limit_test_batches, available);
  run.plan = schedule::make_plan(run.spec.trainer, {.train = 0, .test = available});
  if (run.plan.test_batches == 0) throw ConfigError(run.at_setting(kLimit) + "0 leaves nothing to test");
  run.info.test_batches = run.plan.test_batches;
}

void prepare_predict(Run& run) {
  if (!run.model->overrides().contains(Event::predict_step)) {
    throw RunError("model " + run.info.model_name + " cannot predict: it does not override predict_step()");
  }
  DataLoader rows = ask(run, Event::predict_dataloader);
  if (rows.empty()) {
    throw RunError(
        fmt::format("there is no data to predict from: give data.predict or data.test in the config{}",
                    run.spec.data.train ? "" : ", or have the model override predict_dataloader()"));
  }
  rows.shuffle = false;
  rows.drop_last = false;
  run.predict_loader.emplace(loader_with(run, std::move(rows), data::Loader::Purpose::validate));
  constexpr const char* kLimit = "trainer.limit_predict_batches";
  const auto available = run.predict_loader->batches();
  if (available == 0) throw RunError("the data to predict from holds not a single sample");
  check_limit(run, kLimit, run.spec.trainer.limit_predict_batches, available);
  run.plan = schedule::make_plan(run.spec.trainer, {.train = 0, .predict = available});
  if (run.plan.predict_batches == 0)
    throw ConfigError(run.at_setting(kLimit) + "0 leaves nothing to predict");
  run.info.predict_batches = run.plan.predict_batches;
}

void reload_data_if_due(Run& run) {
  const int64_t every = run.spec.trainer.reload_dataloaders_every_n_epochs;
  if (every == 0 || run.state.epoch == 0 || run.state.epoch % every != 0) return;
  const auto timed = run.bus->work(Event::train_dataloader);
  load_data(run);
  make_plan(run);
}

}  // namespace lightrun::engine
