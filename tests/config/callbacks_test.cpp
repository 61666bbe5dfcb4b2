#include "config/configs.hpp"
#include "support/catch.hpp"

using namespace lightrun::config;
using namespace lightrun::tests;

namespace {

std::string callbacks(const std::string& entries) {
  return kModel + "callbacks:\n" + entries;
}

}  // namespace

TEST_CASE("callbacks by name have settings of their own") {
  const RunSpec spec = spec_of(callbacks(
      "- lr_monitor\n- {type: timer, duration: 1h30m}\n- {type: freeze, params: '^net', until_epoch: 3}\n"
      "- {type: ema, decay: 0.5, start_step: 2}\n- {type: swa, swa_lrs: 0.05, swa_epoch_start: 7}\n"
      "- {type: plugin, name: mine, params: {after: 2}}\n"));
  REQUIRE(spec.callbacks.size() == 6);
  CHECK(std::get<LrMonitorSpec>(spec.callbacks[0]).logging_interval == Interval::step);
  CHECK(std::get<TimerSpec>(spec.callbacks[1]).duration == 5400);
  CHECK(std::get<FreezeSpec>(spec.callbacks[2]).until_epoch == 3);
  CHECK(std::get<EmaSpec>(spec.callbacks[3]).start_step == 2);
  CHECK(std::get<SwaSpec>(spec.callbacks[4]).swa_epoch_start == Limit::of_count(7));
  CHECK(std::get<PluginCallbackSpec>(spec.callbacks[5]).params.find("after")->text == "2");
  CHECK(SwaSpec().swa_epoch_start.text() == "0.8");
}

TEST_CASE("what a callback needs and is not given, and a broken pattern, are told with their places") {
  CHECK(problems_of(callbacks("- timer\n")) == "a.yaml:3:3: callbacks.0.duration: missing: how long");
  CHECK(problems_of(callbacks("- {type: freeze, params: 'a('}\n"))
            .starts_with("a.yaml:3:26: callbacks.0.params: 'a(' is not a regular expression: "));
  CHECK(problems_of(callbacks("- {type: ema, decay: 1}\n")) ==
        "a.yaml:3:22: callbacks.0.decay: must be >= 0 and < 1, got 1");
}

TEST_CASE("a gradient_accumulation_scheduler is trainer.accumulate_grad_batches in other words") {
  const std::string scheduler =
      callbacks("- {type: gradient_accumulation_scheduler, scheduling: {0: 1, 5: 4}}\n");
  const RunSpec spec = spec_of(scheduler);
  CHECK(spec.trainer.accumulate_grad_batches == AccumulationSchedule{{0, 1}, {5, 4}});
  CHECK(problems_of(scheduler + "accumulate_grad_batches: 2\n") ==
        "a.yaml:4:1: trainer.accumulate_grad_batches: given, and a gradient_accumulation_scheduler "
        "(callbacks.0) too: leave one of them out");
  // As the resolved config has it, which is read again.
  CHECK(problems_of(scheduler + "accumulate_grad_batches: {0: 1, 5: 4}\n").empty());
  CHECK(problems_of(scheduler + "optimizer: lbfgs\n").find("not with lbfgs") != std::string::npos);
}

TEST_CASE("callbacks that come into each other's way are refused") {
  CHECK(problems_of(callbacks("- ema\n- ema\n")) ==
        "a.yaml:4:3: callbacks.1: a second one, beside callbacks.0: a validation can measure one average");
  CHECK(
      problems_of(callbacks("- {type: swa, swa_lrs: 1}\n- {type: ema, save_averaged: true}\n")) ==
      "a.yaml:4:3: callbacks.1: would write the same averaged.safetensors as callbacks.0: leave one of them "
      "out, or take save_averaged: false");
  CHECK(problems_of(callbacks("- {type: swa, swa_lrs: 1}\n- ema\n")).empty());
}

TEST_CASE("swa must begin in an epoch that there is") {
  const std::string at_3 = callbacks("- {type: swa, swa_lrs: 1, swa_epoch_start: 3}\n");
  CHECK(problems_of(at_3 + "max_epochs: 4\n").empty());
  CHECK(problems_of(at_3 + "max_epochs: 3\n") ==
        "a.yaml:3:27: callbacks.0.swa_epoch_start: epoch 3 is never reached: the run ends after 3 (epochs "
        "count "
        "from 0)");
  CHECK(problems_of(callbacks("- {type: swa, swa_lrs: 1}\n") + "max_epochs: -1\n") ==
        "a.yaml:4:1: callbacks.0.swa_epoch_start: 0.8 is a share of max_epochs, which is -1; give an epoch");
}
