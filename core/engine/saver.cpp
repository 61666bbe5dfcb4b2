#include "engine/saver.hpp"

#include "engine/nonfinite.hpp"
#include "state/checkpoint.hpp"

#include <algorithm>
#include <filesystem>

namespace lightrun::engine {

void serve_saves(Run& run, Cut cut) {
  if (run.requests.saves.empty()) return;
  auto names = std::exchange(run.requests.saves, {});
  std::ranges::stable_partition(names, [](const std::string& name) { return name != "last"; });
  if (run.info.checkpoint_dir.empty()) return;
  check_weights(run);
  for (const std::string& name : names) {
    const Profiler::Timed timed(run.profiler.get(), "save_checkpoint");
    run.bus->note("checkpoint", "save");
    run.bus->emit(Event::on_save_checkpoint);
    const auto path = std::filesystem::path(run.info.checkpoint_dir) / (name + ".ckpt");
    state::write_checkpoint(path, *run.model, run.state, run.resolved_config,
                            cut == Cut::after_batch ? "after_batch" : "after_epoch");
  }
}

}  // namespace lightrun::engine
