#include "engine/tiny_run.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

using namespace lightrun;
using test::Linear;
using test::Recorder;
using test::Validated;

namespace {

std::shared_ptr<Validated> two_batches() {
  return make_module<Validated>(std::vector<std::vector<double>>{{1}, {2}});
}

config::TrainerSpec short_run() {
  return {.max_epochs = 2};
}

/// start -> end, from the hooks' names.
const std::map<Event, Event>& pairs() {
  using enum Event;
  static const std::map<Event, Event> pairs = {{on_fit_start, on_fit_end},
                                               {setup, teardown},
                                               {on_pretrain_routine_start, on_pretrain_routine_end},
                                               {on_sanity_check_start, on_sanity_check_end},
                                               {on_train_start, on_train_end},
                                               {on_epoch_start, on_epoch_end},
                                               {on_train_epoch_start, on_train_epoch_end},
                                               {on_batch_start, on_batch_end},
                                               {on_train_batch_start, on_train_batch_end},
                                               {on_validation_start, on_validation_end},
                                               {on_validation_epoch_start, on_validation_epoch_end},
                                               {on_validation_batch_start, on_validation_batch_end}};
  return pairs;
}

int64_t count(const std::vector<Event>& events, Event event) {
  return std::ranges::count(events, event);
}

/// Every start has been followed by as many ends.
void check_balanced(const std::vector<Event>& events) {
  for (const auto& [start, end] : pairs()) {
    CAPTURE(event_name(start), event_name(end));
    CHECK(count(events, start) == count(events, end));
  }
}

}  // namespace

TEST_CASE("H35: an exception at any hook is followed by every ending, once") {
  std::vector<Event> hooks;
  {
    auto run = test::make_run(two_batches(), short_run());
    hooks = (test::record(*run), engine::fit(*run), static_cast<Recorder&>(*run->callbacks.front()).events);
    check_balanced(hooks);
    CHECK(count(hooks, Event::on_exception) == 0);
  }
  for (std::size_t at = 0; at < hooks.size(); ++at) {
    CAPTURE(at, event_name(hooks[at]));
    auto run = test::make_run(two_batches(), short_run());
    Recorder& thrower = test::record(*run);
    Recorder& witness = test::record(*run);
    thrower.at = [&](Event, Context&) {
      if (thrower.events.size() == at + 1) throw std::runtime_error("boom");
    };
    CHECK_THROWS_WITH(engine::fit(*run), "boom");
    check_balanced(thrower.events);
    CHECK(count(witness.events, Event::on_exception) == 1);
    CHECK(count(witness.events, Event::on_fit_end) == 1);
    CHECK(count(witness.events, Event::teardown) == count(thrower.events, Event::setup));
    CHECK(run->stop_reason == "boom");
  }
}

TEST_CASE("H35: a stop asked for in a batch ends the epoch and the run with all endings") {
  auto run = test::make_run(two_batches(), {.max_epochs = 10});
  Recorder& recorder = test::record(*run);
  recorder.at = [](Event event, Context& context) {
    if (event == Event::on_train_batch_end && context.global_step() == 2) context.request_stop("enough");
  };
  engine::fit(*run);
  check_balanced(recorder.events);
  CHECK(run->state.epoch == 1);
  CHECK(run->state.global_step == 3);
  CHECK(run->stop_reason == "enough");
  CHECK(count(recorder.events, Event::on_train_end) == 1);
}

TEST_CASE("max_steps in the middle of an epoch ends with all endings") {
  auto run = test::make_run(two_batches(), {.max_epochs = 10, .max_steps = 3});
  Recorder& recorder = test::record(*run);
  engine::fit(*run);
  check_balanced(recorder.events);
  CHECK(count(recorder.events, Event::on_train_end) == 1);
}

TEST_CASE("a skipped epoch leaves its batch out and goes on with the next epoch") {
  const auto model = Linear::counting(4);
  auto run = test::make_run(model, {.max_epochs = 2});
  Recorder& recorder = test::record(*run);
  recorder.at = [](Event event, Context& context) {
    if (event == Event::on_batch_start && context.epoch() == 0 && context.batch_idx() == 1)
      context.skip_epoch();
  };
  engine::fit(*run);
  CHECK(run->state.batches_seen == 1 + 4);
  CHECK(model->weights() == std::vector{-(1.0 + 10.0)});
}

TEST_CASE("validation leaves modes, random numbers and gradients as they were") {
  // Three inner modules: one in eval mode by the user's will must stay so (H27).
  class Modes : public Validated {
   public:
    explicit Modes(const std::vector<std::vector<double>>& gradients) : Validated(gradients) {
      frozen = register_module("frozen", std::make_shared<Plain>());
      frozen->eval();
    }
    void validation_step(const Batch& /*batch*/, const StepInfo& /*info*/) override {
      CHECK_FALSE(is_training());
      CHECK_FALSE(torch::GradMode::is_enabled());
      (void)torch::rand({3});
    }
    void on_train_batch_start(Context& /*context*/) override {
      CHECK(is_training());
      CHECK_FALSE(frozen->is_training());
      drawn.push_back(torch::rand({1}).item<float>());
    }
    struct Plain : torch::nn::Module {};
    std::shared_ptr<Plain> frozen;
    std::vector<float> drawn;
  };
  const auto drawn_with = [](config::Limit validation) {
    torch::manual_seed(1);
    const auto model = make_module<Modes>(std::vector<std::vector<double>>{{1}, {2}});
    test::fit(model, {.max_epochs = 3, .limit_val_batches = validation});
    return model->drawn;
  };
  CHECK(drawn_with(config::Limit::all()) == drawn_with(config::Limit::of_count(0)));
}
