#include "engine/saver.hpp"

#include "engine/failure.hpp"
#include "engine/nonfinite.hpp"
#include "state/checkpoint.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>

namespace lightrun::engine {

namespace {

void save(Run& run, const std::string& name, Cut cut) {
  const Profiler::Timed timed(run.profiler.get(), "save_checkpoint");
  run.bus->doing("saving a checkpoint");
  run.bus->note("checkpoint", "save");
  run.bus->emit(Event::on_save_checkpoint);
  const auto path = std::filesystem::path(run.info.checkpoint_dir) / (name + ".ckpt");
  state::write_checkpoint(path, *run.model, run.state, run.resolved_config,
                          cut == Cut::after_batch ? "after_batch" : "after_epoch");
  run.saved_at = run.state.batches_seen;
}

}  // namespace

void serve_saves(Run& run, Cut cut) {
  run.between_cuts = false;
  if (run.requests.saves.empty()) return;
  auto names = std::exchange(run.requests.saves, {});
  std::ranges::stable_partition(names, [](const std::string& name) { return name != "last"; });
  if (run.info.checkpoint_dir.empty()) return;
  check_weights(run);
  for (const std::string& name : names) save(run, name, cut);
}

void save_last_good(Run& run) noexcept {
  const bool is_new = run.state.batches_seen > 0 && run.saved_at != run.state.batches_seen;
  if (run.info.checkpoint_dir.empty() || !is_new || run.between_cuts || !weights_are_finite(run)) return;
  const std::string_view failed = run.bus->last();
  try {
    save(run, "last", Cut::after_batch);
    spdlog::warn("last.ckpt has the weights of before the error: step {}", run.state.global_step);
  } catch (...) {
    spdlog::error("the weights of before the error could not be saved: {}",
                  describe(std::current_exception()));
  }
  run.bus->doing(failed);
}

}  // namespace lightrun::engine
