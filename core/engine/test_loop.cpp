#include "engine/test_loop.hpp"

#include "engine/end_on_exception.hpp"
#include "engine/evaluation.hpp"

namespace lightrun::engine {
namespace {

Metrics run_hooks_in_order(Run& run) {
  run.bus->open(Phase::fit);
  run.bus->open(Phase::pretrain);
  run.bus->close(Phase::pretrain);
  Metrics results = evaluate_test(run);
  run.stop_reason = "the test is done";
  if (run.interrupted()) run.bus->emit(Event::on_keyboard_interrupt);
  run.bus->close(Phase::fit);
  return results;
}

}  // namespace

Metrics test(Run& run) {
  return ended_on_exception(
      run, [&] { return run_hooks_in_order(run); }, [] {});
}

}  // namespace lightrun::engine
