#include "engine/run_record.hpp"

#include "engine/environment.hpp"
#include "state/weights.hpp"
#include "support/atomic_file.hpp"
#include "support/version.hpp"

#include <spdlog/fmt/chrono.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace lightrun::engine {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::system_clock;

/// ISO 8601, in UTC.
std::string time_text(Clock::time_point time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(Clock::to_time_t(time)));
}

Json profile_of(const Run& run) {
  if (!run.profiler) return nullptr;
  Json profile = Json::array();
  for (const auto& [action, sum] : run.profiler->sums()) {
    profile.push_back({{"action", action},
                       {"calls", sum.calls},
                       {"total_s", std::chrono::duration<double>(sum.total).count()}});
  }
  return profile;
}

}  // namespace

void RunRecord::write(const Run& run, std::string_view status, const std::string& reason) const {
  if (run.info.run_dir.empty()) return;
  const bool is_over = status != "running";
  const auto environment_texts = environment();
  const Json json = {{"format", 1},
                     {"run_id", run.run_id},
                     {"lightrun", support::version()},
                     {"libtorch", environment_texts.at("torch")},
                     {"command", command_},
                     {"model", run.info.model_name},
                     {"plugin", run.info.plugin_path},
                     {"devices", run.info.devices},
                     {"parameters", state::parameter_count(*run.model)},
                     {"environment", environment_texts},
                     {"resumed_from", run.info.resumed_from},
                     {"started", time_text(started_)},
                     {"ended", is_over ? Json(time_text(Clock::now())) : Json()},
                     {"status", status},
                     {"reason", reason},
                     {"seconds", run.seconds()},
                     {"steps", run.state.steps_done()},
                     {"profile", profile_of(run)}};
  const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
  support::write_file_atomically(std::filesystem::path(run.info.run_dir) / "run.json", text);
}

}  // namespace lightrun::engine
