#include "engine/saver.hpp"

#include "engine/failure.hpp"
#include "engine/instant.hpp"
#include "engine/nonfinite.hpp"
#include "support/quantity.hpp"

#include <lightrun/error.hpp>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>

namespace lightrun::engine {

namespace {

constexpr const char* kLast = "last";

std::filesystem::path file_of(const Run& run, const std::string& name) {
  return std::filesystem::path(run.info.checkpoint_dir) / (name + ".ckpt");
}

void request(Run& run, const std::string& name) {
  auto& saves = run.requests.saves;
  if (std::ranges::find(saves, name, &SaveRequest::name) == saves.end()) saves.push_back({name});
}

void log_notes(Run& run) {
  for (const std::string& note : run.save_thread->take_notes()) spdlog::info("{}", note);
}

/// What the save before has failed with: thrown, or by the policy asked for again.
void look_for_failure(Run& run) {
  if (!run.save_thread || !run.save_thread->has_failed()) return;
  run.bus->doing("saving a checkpoint");
  try {
    run.save_thread->finish();
  } catch (const RunError& error) {
    if (run.spec.trainer.on_save_error == config::OnSaveError::stop) throw;
    spdlog::warn("{}; trying again", error.what());
    for (const SaveRequest& failed : std::exchange(run.saving, {})) {
      request(run, failed.name);
      auto& replaces = std::ranges::find(run.requests.saves, failed.name, &SaveRequest::name)->replaces;
      replaces.insert(replaces.end(), failed.replaces.begin(), failed.replaces.end());
    }
  }
}

/// "saving last.ckpt of 4.9 MiB"
std::string saving_text(const Run& run) {
  const std::string what = run.saving.size() == 1 ? run.saving.front().name + ".ckpt"
                                                  : fmt::format("{} checkpoints", run.saving.size());
  return fmt::format("saving {} of {}", what, support::bytes_text(run.saving_bytes));
}

void finish_thread(Run& run) {
  const support::Wait wait(run.screen, saving_text(run));
  run.save_thread->finish();
}

void wait_for_earlier_save(Run& run) {
  if (!run.save_thread) return;
  const Profiler::Timed timed(run.profiler.get(), "wait_for_earlier_save");
  const support::Wait wait(run.screen, saving_text(run));
  run.save_thread->wait();
  look_for_failure(run);
}

void hand_over(Run& run, std::vector<SaveRequest> requests) {
  if (!run.save_thread) run.save_thread = std::make_unique<SaveThread>(run.run_id);
  const Profiler::Timed timed(run.profiler.get(), "save_checkpoint");
  std::ranges::stable_partition(requests, [](const SaveRequest& each) { return each.name != kLast; });
  run.bus->doing("saving a checkpoint");
  for (std::size_t i = 0; i < requests.size(); ++i) run.bus->note("checkpoint", "save");
  run.bus->emit(Event::on_save_checkpoint);
  std::vector<SaveThread::File> files;
  for (const SaveRequest& each : requests) {
    SaveThread::File file{.path = file_of(run, each.name)};
    for (const std::string& name : each.replaces) file.replaces.push_back(file_of(run, name));
    files.push_back(std::move(file));
  }
  auto instant = state::encode(checkpoint_of(run));
  run.saving_bytes = 0;
  for (const auto& [name, tensor] : instant.tensors)
    run.saving_bytes += tensor.numel() * static_cast<int64_t>(tensor.element_size());
  run.save_thread->save(std::move(instant), std::move(files));
  if (requests.back().name == kLast)
    run.last_saved_at = (run.resting ? run.resting->run : run.state).instant();
  run.saving = std::move(requests);
  log_notes(run);
}

/// After an error.
void say_where_to_go_on(const Run& run) {
  if (run.info.checkpoint_dir.empty()) return;
  try {
    const auto head = state::read_checkpoint_head(file_of(run, kLast));
    if (head.run_id != run.run_id) return;
    spdlog::warn("last.ckpt has the weights of before the error: step {}; --resume last goes on from there",
                 head.run.steps_done());
  } catch (...) {  // there is none
  }
}

}  // namespace

void serve_saves(Run& run) {
  run.between_cuts = false;
  look_for_failure(run);
  if (run.signals && run.signals->take_save_request()) {
    spdlog::info("SIGUSR1: saving last.ckpt at step {}", run.state.steps_done());
    request(run, kLast);
  }
  if (run.requests.saves.empty()) return;
  wait_for_earlier_save(run);
  auto requests = std::exchange(run.requests.saves, {});
  // What the run comes to rest at is the same as long as it rests.
  if (run.resting && run.last_saved_at == run.resting->run.instant())
    std::erase_if(requests, [](const SaveRequest& each) { return each.name == kLast; });
  if (run.info.checkpoint_dir.empty() || requests.empty()) return;
  check_weights(run);
  hand_over(run, std::move(requests));
}

void come_to_rest(Run& run) {
  const bool wanted = run.interrupted() ? run.save_policy.on_signal : run.save_policy.at_stop;
  const bool is_new = run.state.batches_done() > 0 && run.last_saved_at != run.state.instant();
  if (wanted && is_new) request(run, kLast);
  serve_saves(run);
  run.resting = instant_of(run);
}

void finish_saves(Run& run) {
  if (!run.save_thread) return;
  wait_for_earlier_save(run);
  run.bus->doing("saving a checkpoint");
  if (!run.requests.saves.empty()) hand_over(run, std::exchange(run.requests.saves, {}));
  finish_thread(run);
  log_notes(run);
}

void save_last_good(Run& run) noexcept {
  const std::string_view failed = run.bus->last();
  const bool is_new = run.state.batches_done() > 0 && run.last_saved_at != run.state.instant();
  const bool is_right = is_new && !run.between_cuts && weights_are_finite(run);
  const bool wanted = !run.info.checkpoint_dir.empty() && run.save_policy.on_exception;
  try {
    if (wanted && is_right) hand_over(run, {{kLast}});
    if (run.save_thread) finish_thread(run);
  } catch (...) {
    spdlog::error("the weights of before the error could not be saved: {}",
                  describe(std::current_exception()));
  }
  say_where_to_go_on(run);
  run.bus->doing(failed);
}

}  // namespace lightrun::engine
