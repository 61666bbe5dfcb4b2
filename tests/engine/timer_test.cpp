#include "callbacks/timer.hpp"

#include "engine/tiny_run.hpp"
#include "support/catch.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <thread>

using namespace lightrun;
using namespace lightrun::test;

namespace {

/// Trains two epochs of two batches, of which the first takes `slow`, with a timer of 50 ms, or one that
/// comes from a process of `before` seconds. The steps that were done, and why it ended.
std::pair<int64_t, std::string> stopped_by(callbacks::Timer::Rule rule, std::chrono::milliseconds slow,
                                           double before = 0) {
  const auto model = Linear::counting(2);
  model->on_step = [slow](const StepInfo& info) {
    if (info.epoch == 0 && info.batch_idx == 0) std::this_thread::sleep_for(slow);
  };
  const auto run = make_run(model, {.max_epochs = 2});
  auto timer = make_callback<callbacks::Timer>(rule);
  StateDict state;
  state.set("seconds", before);
  timer->load_state(state);
  run->callbacks.push_back(std::move(timer));
  engine::fit(*run);
  return {run->state.global_step, run->stop_reason};
}

constexpr std::chrono::milliseconds kSlow(80);

}  // namespace

TEST_CASE("a timer stops the run after the batch in which its time is over, or at that epoch's end") {
  const auto [steps, reason] = stopped_by({.duration = 0.05}, kSlow);
  CHECK(steps == 1);
  CHECK(reason == "timer: 50 ms are over");
  CHECK(stopped_by({.duration = 0.05, .every_epoch = true}, kSlow).first == 2);
  CHECK(stopped_by({.duration = 3600}, kSlow).first == 4);
}

TEST_CASE("a timer counts what earlier processes have trained, and lets nothing begin after its time") {
  CHECK(stopped_by({.duration = 60}, {}, 61).first == 0);
  CHECK(stopped_by({.duration = 60}, kSlow, 59.95).first == 1);
}
