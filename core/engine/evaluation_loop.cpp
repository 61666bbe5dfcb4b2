#include "engine/evaluation_loop.hpp"

#include "engine/end_on_exception.hpp"
#include "engine/evaluation.hpp"
#include "engine/stopping.hpp"
#include "predictions/writer.hpp"

#include <ATen/Context.h>

namespace lightrun::engine {
namespace {

/// What `evaluate` answers, within the hooks of a whole run.
template <typename Evaluate>
auto evaluated(Run& run, const char* done, Evaluate&& evaluate) {
  return ended_on_exception(
      run,
      [&] {
        run.bus->open(Phase::fit);
        run.bus->open(Phase::pretrain);
        run.bus->close(Phase::pretrain);
        auto results = evaluate();
        run.stop_reason = interruption(run).value_or(done);
        if (run.interrupted()) run.bus->emit(Event::on_keyboard_interrupt);
        run.bus->close(Phase::fit);
        return results;
      },
      [] {});
}

}  // namespace

Metrics test(Run& run) {
  return evaluated(run, "the test is done", [&] { return evaluate_test(run); });
}

bool predict(Run& run, predictions::Writer& writer) {
  torch::manual_seed(static_cast<uint64_t>(run.spec.seed));
  const bool is_whole = evaluated(run, "all is predicted", [&] {
    return evaluate_prediction(run, [&](const Batch& samples, const Batch& answer) {
      run.bus->doing("writing the predictions");
      writer.add(run.val_batch_idx, samples.size(), answer);
    });
  });
  if (!is_whole || run.interrupted()) return false;
  run.bus->doing("writing the predictions");
  const support::Wait wait(run.screen, "writing the predictions");
  writer.write(run.config_data ? run.config_data->info() : DataInfo());
  return true;
}

}  // namespace lightrun::engine
