// A run that goes on from any of its checkpoints ends with the same bits as the run that made them.

#include "engine/instant.hpp"
#include "engine/tiny_run.hpp"
#include "engine/weight_callbacks.hpp"
#include "optim/torch_drift.hpp"
#include "state/checkpoint.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include "callbacks/early_stopping.hpp"
#include "callbacks/model_checkpoint.hpp"

#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/lbfgs.h>
#include <torch/optim/rmsprop.h>

#include <csignal>
#include <filesystem>

using namespace lightrun;
using namespace lightrun::test;
namespace fs = std::filesystem;

namespace {

/// A net with something of everything that has a state: dropout, batch normalisation, a frozen layer, a tied
/// weight, a layer kept in eval mode, a counter of its own.
class Rich : public Module {
 public:
  explicit Rich(std::function<Optimizers(Rich&)> optimizers) : optimizers_(std::move(optimizers)) {
    torch::manual_seed(11);
    a = register_module("a", torch::nn::Linear(3, 4));
    norm_ = register_module("norm", torch::nn::BatchNorm1d(4));
    bare_ = register_module(
        "bare",
        torch::nn::BatchNorm1d(torch::nn::BatchNorm1dOptions(4).affine(false).track_running_stats(false)));
    drop_ = register_module("drop", torch::nn::Dropout(0.4));
    b = register_module("b", torch::nn::Linear(4, 4));
    tied_ = register_parameter("tied", b->weight);
    frozen_ = register_module("frozen", torch::nn::Linear(4, 1));
    frozen_->weight.set_requires_grad(false);
    sleeping_ = register_module("sleeping", torch::nn::Dropout(0.5));
    sleeping_->eval();
    x_ = torch::randn({22, 3});
    to(torch::kFloat64);
    x_ = x_.to(torch::kFloat64);
  }

  StepResult training_step(const Batch& batch, const StepInfo& info) override {
    stop_if_wanted();
    ++steps_;
    const auto hidden =
        sleeping_->forward(drop_->forward(bare_->forward(norm_->forward(a->forward(batch["x"]))).tanh()));
    const auto out = frozen_->forward(torch::linear(b->forward(hidden), tied_).tanh());
    log("steps", static_cast<double>(steps_), {.on_step = true, .on_epoch = true});
    return (out - 1).pow(2).mean() * (1 + 0.1 * static_cast<double>(info.optimizer_idx));
  }
  void validation_step(const Batch& batch, const StepInfo& /*info*/) override {
    stop_if_wanted();
    log("val_loss",
        frozen_->forward(b->forward(a->forward(batch["x"]))).pow(2).mean() + torch::rand({}) * 0.1);
  }
  DataLoader train_dataloader() override { return data(); }
  DataLoader val_dataloader() override { return data(); }
  Optimizers configure_optimizers() override { return optimizers_(*this); }

  void on_train_epoch_start(Context& context) override {
    if (context.epoch() == 1) a->bias.set_requires_grad(false);  // stays so, also after a resume in epoch 2
  }
  void save_state(StateDict& state) const override { state.set("steps", steps_); }
  void load_state(const StateDict& state) override { steps_ = state.get<int64_t>("steps"); }

  torch::nn::Linear a{nullptr};
  torch::nn::Linear b{nullptr};
  int64_t stop_at = -1;  ///< which call of a step, from 0, sends a SIGTERM

 private:
  void stop_if_wanted() {
    if (calls_++ == stop_at) std::raise(SIGTERM);
  }

  [[nodiscard]] DataLoader data() const {
    DataLoader loader(std::make_shared<TensorDataset>(Batch{{"x", x_}}));
    loader.batch_size = 4;
    return loader;
  }

  std::function<Optimizers(Rich&)> optimizers_;
  torch::nn::BatchNorm1d norm_{nullptr};
  torch::nn::BatchNorm1d bare_{nullptr};  // has parameters and buffers that are undefined
  torch::nn::Dropout drop_{nullptr};
  torch::Tensor tied_;
  torch::nn::Linear frozen_{nullptr};
  torch::nn::Dropout sleeping_{nullptr};
  torch::Tensor x_;
  int64_t steps_ = 0;
  int64_t calls_ = 0;
};

/// Batches from a stream that draws its own random numbers.
class RandomStream : public IterableDataset {
 public:
  void reset(int64_t /*epoch*/) override { left_ = 6; }
  std::optional<Batch> next() override {
    if (left_-- == 0) return std::nullopt;
    return Batch{{"x", torch::randn({4, 3}, torch::kFloat64)}};
  }

 private:
  int64_t left_ = 0;
};

class RandomStreaming : public Rich {
 public:
  using Rich::Rich;
  DataLoader train_dataloader() override { return std::make_shared<RandomStream>(); }
};

/// An optimizer of the user's own, with a state that lightrun knows nothing of.
struct LagOptions : torch::optim::OptimizerCloneableOptions<LagOptions> {
  TORCH_ARG(double, lr) = 0.1;
  TORCH_ARG(double, lag) = 0.5;
  void serialize(torch::serialize::OutputArchive& archive) const override {
    archive.write("lr", c10::IValue(lr()));
    archive.write("lag", c10::IValue(lag()));
  }
  void serialize(torch::serialize::InputArchive& archive) override {
    c10::IValue value;
    archive.read("lr", value);
    lr(value.toDouble());
    archive.read("lag", value);
    lag(value.toDouble());
  }
  [[nodiscard]] double get_lr() const override { return lr(); }
  void set_lr(const double rate) override { lr(rate); }
};
struct LagState : torch::optim::OptimizerCloneableParamState<LagState> {
  torch::Tensor before;
  int64_t steps = 0;
  void serialize(torch::serialize::OutputArchive& archive) const override {
    archive.write("before", before, /*is_buffer=*/true);
    archive.write("steps", c10::IValue(steps));
  }
  void serialize(torch::serialize::InputArchive& archive) override {
    archive.read("before", before, /*is_buffer=*/true);
    c10::IValue value;
    archive.read("steps", value);
    steps = value.toInt();
  }
};
class LagSgd : public torch::optim::Optimizer {
 public:
  explicit LagSgd(std::vector<torch::Tensor> parameters)
      : Optimizer({torch::optim::OptimizerParamGroup(std::move(parameters))},
                  std::make_unique<LagOptions>()) {}
  torch::Tensor step(LossClosure /*closure*/) override {
    const torch::NoGradGuard no_grad;
    for (auto& group : param_groups_) {
      for (auto& parameter : group.params()) {
        if (!parameter.grad().defined()) continue;
        auto& slot = state_[drift::optimizer_state_key(parameter)];
        if (!slot) {
          auto made = std::make_unique<LagState>();
          made->before = torch::zeros_like(parameter);
          slot = std::move(made);
        }
        auto& state = static_cast<LagState&>(*slot);
        state.before = state.before * 0.5 + parameter.grad() + 0.001 * static_cast<double>(++state.steps);
        parameter.sub_(state.before, static_cast<LagOptions&>(group.options()).lr());
      }
    }
    return {};
  }
};

template <typename Optimizer, typename Options>
std::function<Optimizers(Rich&)> one(Options options) {
  return [options](Rich& model) {
    std::vector<torch::Tensor> parameters;
    for (const auto& parameter : model.parameters())
      if (parameter.requires_grad()) parameters.push_back(parameter);
    LrSchedule schedule{
        .rate = [](double base, int64_t count) { return base / (1.0 + 0.05 * static_cast<double>(count)); },
        .interval = LrSchedule::Interval::step};
    Optimizers optimizers;
    optimizers.add({.optimizer = std::make_unique<Optimizer>(parameters, options), .schedule = schedule});
    return optimizers;
  };
}

Optimizers two(Rich& model, int64_t frequency_a, int64_t frequency_b) {
  LrSchedule plateau{.plateau = ReduceOnPlateau{.factor = 0.5, .patience = 0}};
  const auto sgd = torch::optim::SGDOptions(0.05).momentum(0.9).weight_decay(0.01);
  Optimizers optimizers;
  optimizers.add(
      {.optimizer = std::make_unique<torch::optim::SGD>(std::vector{model.a->weight, model.b->weight}, sgd),
       .schedule = plateau,
       .frequency = frequency_a});
  optimizers.add({.optimizer = std::make_unique<torch::optim::Adam>(
                      std::vector{model.b->weight, model.b->bias}, torch::optim::AdamOptions(0.01)),
                  .frequency = frequency_b});
  return optimizers;
}

/// Asks for a checkpoint after every batch and every epoch.
class SaveAlways : public Callback {
 public:
  void on_train_batch_end(Context& context) override {
    context.request_save("after_batch_" + std::to_string(context.batches_seen()));
  }
  void on_train_epoch_end(Context& context) override {
    if (!context.epoch_is_cut_short()) context.request_save("after_epoch_" + std::to_string(context.epoch()));
  }
};

struct Scenario {
  std::string name;
  std::function<std::shared_ptr<Module>()> model;
  config::TrainerSpec trainer;
  std::function<void(engine::Run&)> add_callbacks;
};

std::unique_ptr<engine::Run> run_of(const Scenario& scenario, const fs::path& folder) {
  auto run = make_run(scenario.model(), scenario.trainer);
  run->spec.seed = 5;
  torch::manual_seed(5);
  run->info.checkpoint_dir = folder.string();
  run->run_id = "test";
  add<callbacks::EarlyStopping>(*run, callbacks::Monitor::Options{.must_exist = false},
                                callbacks::EarlyStopping::Rule{.patience = 50});
  add<callbacks::ModelCheckpoint>(*run, callbacks::Monitor::Options{.must_exist = false},
                                  callbacks::ModelCheckpoint::Rule());
  if (scenario.add_callbacks) scenario.add_callbacks(*run);
  return run;
}

/// Lets `run` go on from a checkpoint.
void resume(engine::Run& run, const fs::path& checkpoint) {
  run.resumes_from = state::read_checkpoint(checkpoint);
  run.resumed_path = checkpoint.string();
}

/// Everything at the end of a run, by name, as bytes.
std::map<std::string, std::string> end_of(engine::Run& run) {
  auto instant = engine::checkpoint_of(run);
  instant.run.seconds = 0;
  const auto file = state::encode(instant);
  std::map<std::string, std::string> parts(file.metadata.begin(), file.metadata.end());
  for (const auto& [name, tensor] : file.tensors) {
    const auto bytes = tensor.contiguous();
    parts[name] = std::string(static_cast<const char*>(bytes.data_ptr()), bytes.nbytes());
  }
  return parts;
}

void check_end(engine::Run& run, const std::map<std::string, std::string>& expected) {
  for (const auto& [part, bytes] : end_of(run)) {
    CAPTURE(part);
    CHECK((expected.contains(part) && expected.at(part) == bytes));
  }
}

config::TrainerSpec trainer(int64_t accumulate, config::Limit validation = config::Limit::all()) {
  config::TrainerSpec spec;
  spec.max_epochs = 3;
  spec.accumulate_grad_batches = {{0, accumulate}};
  spec.val_check_interval = validation;
  spec.log_every_n_steps = 2;
  return spec;
}

template <typename Model = Rich>
std::function<std::shared_ptr<Module>()> model(std::function<Optimizers(Rich&)> optimizers) {
  return [optimizers] { return make_module<Model>(optimizers); };
}

std::vector<Scenario> scenarios() {
  using namespace torch::optim;
  const auto adam = one<Adam>(AdamOptions(0.02).amsgrad(true));
  return {
      {"SGD with momentum", model(one<SGD>(SGDOptions(0.05).momentum(0.9).nesterov(true))), trainer(1)},
      {"Adam, windows of 4 over epochs of 6", model(adam), trainer(4)},
      {"AdamW, validations inside of windows", model(one<AdamW>(AdamWOptions(0.02))),
       trainer(3, config::Limit::of_count(2))},
      {"RMSprop", model(one<RMSprop>(RMSpropOptions(0.01).momentum(0.5).centered(true))), trainer(2)},
      {"Adagrad", model(one<Adagrad>(AdagradOptions(0.05).lr_decay(0.1))), trainer(2)},
      {"LBFGS", model(one<LBFGS>(LBFGSOptions(0.1).max_iter(3).history_size(4))), trainer(1)},
      {"two optimizers with a shared parameter, windows of 3",
       model([](Rich& rich) { return two(rich, 0, 0); }), trainer(3)},
      {"two optimizers in turns", model([](Rich& rich) { return two(rich, 3, 2); }), trainer(2)},
      {"a stream with random numbers", model<RandomStreaming>(adam), trainer(4)},
      {"an optimizer of the user's own", model([](Rich& rich) {
         return Optimizers(std::make_unique<LagSgd>(std::vector{rich.a->weight, rich.b->bias}));
       }),
       trainer(2)},
      {"averages of weights, and some that are frozen at first", model(adam),
       trainer(2, config::Limit::of_count(3)),
       [](engine::Run& run) {
         run.callbacks.push_back(engine::make_ema(run, {.decay = 0.75, .every_n_steps = 2, .start_step = 1}));
         run.callbacks.push_back(engine::make_swa(
             run, {.swa_epoch_start = config::Limit::of_count(1), .swa_lrs = 0.05, .annealing_epochs = 3}));
         run.callbacks.push_back(
             engine::make_freeze(run, {.params = "norm", .until_epoch = 1}, "callbacks.2"));
       }},
  };
}

}  // namespace

TEST_CASE("a run resumed from any of its checkpoints ends with the same bits") {
  for (const Scenario& scenario : scenarios()) {
    CAPTURE(scenario.name);
    const tests::TemporaryFolder folder;
    const auto whole = run_of(scenario, folder.path());
    add<SaveAlways>(*whole);
    engine::fit(*whole);
    const auto expected = end_of(*whole);

    const tests::TemporaryFolder elsewhere;
    int resumed = 0;
    for (const auto& name : folder.names()) {
      CAPTURE(name);
      const auto run = run_of(scenario, elsewhere.path());
      resume(*run, folder / name);
      engine::fit(*run);
      check_end(*run, expected);
      ++resumed;
    }
    CHECK(resumed >= 3 * 6 + 3);
  }
}

TEST_CASE("a run stopped by a signal in any step, also of a validation, goes on with the same bits") {
  const Scenario scenario{"", model(one<torch::optim::Adam>(torch::optim::AdamOptions(0.02))),
                          trainer(4, config::Limit::of_count(4))};
  const tests::TemporaryFolder folder;
  const auto whole = run_of(scenario, folder.path());
  engine::fit(*whole);
  const auto expected = end_of(*whole);

  int stops = 0;
  for (int64_t stop_at = 0;; ++stop_at) {
    CAPTURE(stop_at);
    const tests::TemporaryFolder stopped;
    const auto first = run_of(scenario, stopped.path());
    first->signals = std::make_unique<support::StopSignals>();
    static_cast<Rich&>(*first->model).stop_at = stop_at;
    engine::fit(*first);
    if (!first->interrupted()) break;
    ++stops;
    first->signals.reset();
    if (!fs::exists(stopped / "last.ckpt")) continue;  // in the sanity check: nothing was trained
    const auto second = run_of(scenario, stopped.path());
    resume(*second, stopped / "last.ckpt");
    engine::fit(*second);
    check_end(*second, expected);
  }
  CHECK(stops == 2 + 3 * (6 + 6));  // sanity check; training and validation batches of three epochs
}

TEST_CASE(
    "a run that is stopped by a wish goes on as if nobody had wished it, without the validation of the "
    "stop") {
  class StopAt : public Callback {
   public:
    explicit StopAt(int64_t batch) : batch_(batch) {}
    void on_train_batch_end(Context& context) override {
      if (context.batches_seen() == batch_) context.request_stop("enough");
    }

   private:
    int64_t batch_;
  };
  const Scenario scenario{"", model([](Rich& rich) { return two(rich, 0, 0); }),
                          trainer(4, config::Limit::of_count(4))};
  const tests::TemporaryFolder folder;
  const auto whole = run_of(scenario, folder.path());
  engine::fit(*whole);
  const auto expected = end_of(*whole);
  for (int64_t batch = 0; batch < 18; ++batch) {
    CAPTURE(batch);
    const tests::TemporaryFolder stopped;
    const auto first = run_of(scenario, stopped.path());
    add<StopAt>(*first, batch);
    engine::fit(*first);
    CHECK(first->stop_reason == "enough");
    const auto second = run_of(scenario, stopped.path());
    resume(*second, stopped / "last.ckpt");
    engine::fit(*second);
    check_end(*second, expected);
  }
}

TEST_CASE("row 18: a run resumed in the middle of an epoch trains the rest of that epoch") {
  const tests::TemporaryFolder folder;
  const auto run_to = [&](int64_t max_steps) {
    auto run = make_run(Linear::counting(5), {.max_epochs = 2, .max_steps = max_steps});
    run->info.checkpoint_dir = folder.path().string();
    if (fs::exists(folder / "last.ckpt")) resume(*run, folder / "last.ckpt");
    engine::fit(*run);
    return std::static_pointer_cast<Linear>(run->model)->weights();
  };
  CHECK(run_to(7) == std::vector<double>{-15 - 1 - 2});
  CHECK(run_to(100) == std::vector<double>{-15 - 15});
}

TEST_CASE("row 19: batches are counted over a resume, so that optimizers keep their turns") {
  const Scenario scenario{"", model([](Rich& rich) { return two(rich, 4, 3); }), trainer(1)};
  const auto turns = [&](const fs::path& folder, std::optional<int64_t> max_steps) {
    auto run = run_of(scenario, folder);
    run->plan.max_steps = max_steps;
    if (fs::exists(folder / "last.ckpt")) resume(*run, folder / "last.ckpt");
    std::vector<std::size_t> stepped;
    auto& recorder = record(*run);
    recorder.at = [&](Event event, Context&) {
      if (event != Event::on_train_batch_end) return;
      const auto& steps = run->state.trained->stepped;
      stepped.push_back(static_cast<std::size_t>(std::ranges::find(steps, true) - steps.begin()));
    };
    engine::fit(*run);
    return stepped;
  };
  const tests::TemporaryFolder whole;
  const tests::TemporaryFolder halves;
  auto first = turns(halves.path(), 6);
  const auto second = turns(halves.path(), {});
  first.insert(first.end(), second.begin(), second.end());
  CHECK(first == turns(whole.path(), {}));
  CHECK(std::vector(first.begin(), first.begin() + 8) == std::vector<std::size_t>{0, 0, 0, 0, 1, 1, 1, 0});
}
