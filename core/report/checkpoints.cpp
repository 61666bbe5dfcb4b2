#include "report/checkpoints.hpp"

#include "state/checkpoint.hpp"
#include "state/safetensors.hpp"
#include "state/state_json.hpp"
#include "support/atomic_file.hpp"

#include <lightrun/error.hpp>

#include <algorithm>
#include <cstddef>
#include <system_error>
#include <tuple>

namespace lightrun::report {
namespace {

namespace fs = std::filesystem;

[[nodiscard]] std::vector<fs::path> checkpoint_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const fs::path& path = entry->path();
    std::error_code ignored;
    const bool is_file = fs::is_regular_file(path, ignored);
    if (is_file && path.extension() == ".ckpt" && !support::is_temporary_file(path.filename().string()))
      files.push_back(path);
  }
  std::ranges::sort(files);
  return files;
}

/// A file's head, with the metadata that only this report reads.
struct Head {
  std::string file;
  state::RunState run;
  std::map<std::string, std::string> metadata;
};

[[nodiscard]] Head read_head(const fs::path& path) {
  state::CheckpointHead head = state::read_checkpoint_head(path);
  return {.file = path.filename().string(),
          .run = std::move(head.run),
          .metadata = state::read_safetensors_header(path).metadata};
}

/// The metadata under `key`; null where it is not there or no JSON.
[[nodiscard]] state::Json json_at(const Head& head, const std::string& key) {
  const auto found = head.metadata.find("lightrun." + key);
  if (found == head.metadata.end()) return {};
  return state::Json::parse(found->second, nullptr, /*allow_exceptions=*/false);
}

[[nodiscard]] std::string text_at(const Head& head, const std::string& key) {
  const auto found = head.metadata.find("lightrun." + key);
  return found == head.metadata.end() ? "" : found->second;
}

/// "model_checkpoint val_acc max", of which the type is known: the metric, and whether higher is better.
struct Monitored {
  std::string metric;
  bool higher_is_better = false;
};
[[nodiscard]] Monitored monitored_in(const std::string& key) {
  const std::size_t begin = key.find(' ');
  const std::size_t end = key.rfind(' ');
  if (begin == std::string::npos || begin == end) return {};
  return {key.substr(begin + 1, end - begin - 1), key.substr(end + 1) == "max"};
}

/// Takes over which files one model_checkpoint has kept for what.
void mark_kept(const std::string& key, const StateDict& state, Checkpoints& checkpoints) {
  const Monitored monitored = monitored_in(key);
  if (!monitored.metric.empty()) checkpoints.higher_better[monitored.metric] = monitored.higher_is_better;
  const auto& names = state.get<std::vector<std::string>>("kept");
  const auto& values = state.get<std::vector<double>>("values");
  const std::string best = state.contains("best_file") ? state.get<std::string>("best_file") : "";
  for (std::size_t i = 0; i < std::min(names.size(), values.size()); ++i) {
    const auto mark = std::ranges::find(checkpoints.marks, names[i] + ".ckpt", &CheckpointMark::file);
    if (mark == checkpoints.marks.end()) continue;
    // Without a metric the newest is kept, which is not the best of anything.
    mark->is_best = mark->is_best || (mark->file == best && !monitored.metric.empty());
    mark->monitor = monitored.metric;
    if (!monitored.metric.empty()) mark->value = values[i];
  }
}

void mark_kept(const Head& latest, Checkpoints& checkpoints) {
  for (const state::Json& callback : json_at(latest, "callbacks")) {
    if (!callback.is_object() || !callback.contains("key") || !callback["key"].is_string()) continue;
    const std::string key = callback["key"].get<std::string>();
    if (!key.starts_with("model_checkpoint") || !callback.contains("state")) continue;
    try {
      mark_kept(key, state::state_dict_of(callback["state"], {}), checkpoints);
    } catch (const std::runtime_error& error) {
      checkpoints.problems.push_back(latest.file + ": " + key + ": " + error.what());
    }
  }
}

void learn_from_latest(const Head& latest, Checkpoints& checkpoints) {
  mark_kept(latest, checkpoints);
  checkpoints.model = text_at(latest, "model");
  const state::Json environment = json_at(latest, "environment");
  for (const auto& [name, value] : environment.items())
    if (value.is_string()) checkpoints.environment.emplace(name, value.get<std::string>());
  const int64_t samples = latest.run.samples_seen + (latest.run.trained ? latest.run.trained->samples : 0);
  if (samples > 0 && latest.run.steps_done() > 0)
    checkpoints.samples_per_step =
        static_cast<double>(samples) / static_cast<double>(latest.run.steps_done());
}

}  // namespace

Checkpoints read_checkpoints(const fs::path& folder) {
  Checkpoints checkpoints;
  std::optional<Head> latest;
  for (const fs::path& path : checkpoint_files(folder)) {
    try {
      Head head = read_head(path);
      checkpoints.marks.push_back({.file = head.file,
                                   .steps = head.run.steps_done(),
                                   .epoch = head.run.epoch,
                                   .seconds = head.run.seconds});
      if (!latest || head.run.instant() >= latest->run.instant()) latest = std::move(head);
    } catch (const Error& error) {
      checkpoints.problems.emplace_back(error.what());
    }
  }
  if (latest) learn_from_latest(*latest, checkpoints);
  std::ranges::sort(checkpoints.marks, {},
                    [](const CheckpointMark& mark) { return std::tuple(mark.steps, mark.file); });
  return checkpoints;
}

}  // namespace lightrun::report
