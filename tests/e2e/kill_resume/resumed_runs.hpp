#pragma once

#include "e2e/lightrun_process.hpp"
#include "state/checkpoint.hpp"
#include "state/state_json.hpp"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

/// Runs that are killed and go on, and what must be equal afterwards.
namespace lightrun::tests {

inline const std::vector<std::string> kPluginDir = {"--plugin-dir", LIGHTRUN_BUILD_DIR "/tests/plugins/e2e"};

inline std::vector<std::string> operator+(std::vector<std::string> words,
                                          const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// `lightrun train run.yaml` with the tests' plugins.
inline std::vector<std::string> train_words(const std::vector<std::string>& more = {}) {
  return std::vector<std::string>{"train", "run.yaml"} + kPluginDir + more;
}

/// run.yaml: a run of a probe, plain SGD with rate 1.
inline void write_probe(const TemporaryFolder& folder, const std::string& params, const std::string& trainer,
                        const std::string& more = "") {
  write_file(folder / "run.yaml", "model: {plugin: probe, params: {" + params +
                                      "}}\noptimizer: {type: sgd, lr: 1}\ntrainer: {" + trainer + "}\n" +
                                      more);
}

inline std::string model_checkpoint(const std::string& settings) {
  return "callbacks: [{type: model_checkpoint, " + settings + "}]\n";
}

inline Outcome train(const TemporaryFolder& folder, const std::vector<std::string>& more = {}) {
  return run_lightrun(folder, train_words(more));
}

inline std::filesystem::path run_folder(const TemporaryFolder& folder, int number = 0) {
  return folder / ("runs/run/" + std::to_string(number));
}

/// Where the newest run is: one that is killed before its first checkpoint is begun anew in another folder.
inline std::filesystem::path newest_run(const TemporaryFolder& folder) {
  return folder / "runs/run/latest";
}

inline std::filesystem::path checkpoint_file(const TemporaryFolder& folder,
                                             const std::string& name = "last") {
  return run_folder(folder) / ("checkpoints/" + name + ".ckpt");
}

inline std::vector<std::string> files_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

/// A metrics.csv without the one column in which equal runs differ.
inline std::string rows_without_time(const std::filesystem::path& path) {
  std::string text;
  std::size_t time = 0;
  for (const std::string& line : lines_of(read_file(path))) {
    auto cells = split_at_commas(line);
    if (text.empty()) time = static_cast<std::size_t>(std::ranges::find(cells, "time_s") - cells.begin());
    cells.erase(cells.begin() + static_cast<std::ptrdiff_t>(time));
    for (const auto& cell : cells) text += cell + ",";
    text += '\n';
  }
  return text;
}

/// The bytes of everything in a checkpoint but the clock, by name.
inline std::map<std::string, std::string> parts_of(state::Checkpoint checkpoint) {
  checkpoint.run.seconds = 0;
  checkpoint.run_id.clear();
  for (auto& logger : checkpoint.loggers) logger.clear();  // the rows are compared themselves
  const auto file = state::encode(checkpoint);
  std::map<std::string, std::string> parts(file.metadata.begin(), file.metadata.end());
  for (const auto& [name, tensor] : file.tensors) {
    const auto bytes = tensor.contiguous();
    parts[name] = c10::str(bytes.sizes(), bytes.dtype()) +
                  std::string(static_cast<const char*>(bytes.data_ptr()), bytes.nbytes());
  }
  return parts;
}

/// Names of what differs between two checkpoints, beside the clock.
inline std::vector<std::string> differing_parts(const std::filesystem::path& a,
                                                const std::filesystem::path& b) {
  const auto in_a = parts_of(state::read_checkpoint(a));
  const auto in_b = parts_of(state::read_checkpoint(b));
  std::vector<std::string> names;
  for (const auto& [name, bytes] : in_a)
    if (!in_b.contains(name) || in_b.at(name) != bytes) names.push_back(name);
  for (const auto& [name, bytes] : in_b)
    if (!in_a.contains(name)) names.push_back(name);
  return names;
}

/// One number of a probe's weights.
inline double weight_in(const std::filesystem::path& path) {
  for (const auto& [name, tensor] : state::read_checkpoint(path).weights)
    if (name == "w") return tensor.sum().item<double>();
  throw std::runtime_error("no w in " + path.string());
}

inline int64_t step_in(const std::filesystem::path& path) {
  return state::read_checkpoint(path).run.steps_done();
}

template <typename Condition>
bool wait_until(Condition&& condition, std::chrono::milliseconds limit = std::chrono::seconds(60)) {
  for (const auto end = std::chrono::steady_clock::now() + limit; std::chrono::steady_clock::now() < end;) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

/// How often a run has been taken up: a line of its log each time.
inline std::size_t starts_in(const std::filesystem::path& run_dir) {
  std::size_t starts = 0;
  for (const auto& line : lines_of(read_file(run_dir / "log.txt")))
    starts += line.find(" info: training ") != std::string::npos ? 1 : 0;
  return starts;
}

/// How many kills, where scripts/soak does not say.
inline int kills_wanted(int usual) {
  const char* text = std::getenv("LIGHTRUN_KILLS");
  return text ? std::atoi(text) : usual;
}

/// Starts the run with `--resume auto` and kills it, at a moment of up to `longest` after it is set up.
/// False: it came to its end before.
inline bool start_and_kill(const TemporaryFolder& folder, std::mt19937& random,
                           std::chrono::microseconds longest, const std::vector<std::string>& more = {}) {
  const auto starts = [&] {
    std::size_t count = 0;
    for (int run = 0; std::filesystem::exists(run_folder(folder, run)); ++run)
      count += starts_in(run_folder(folder, run));
    return count;
  };
  const std::size_t before = starts();
  LightrunProcess process(folder.path(), train_words({"--resume", "auto", "--quiet"}) + more);
  wait_until([&] { return process.has_ended() || starts() > before; });
  std::this_thread::sleep_for(
      std::chrono::microseconds(std::uniform_int_distribution<int64_t>(0, longest.count())(random)));
  if (process.has_ended()) return false;
  process.signal(SIGKILL);
  return process.wait().exit_code == -SIGKILL;
}

}  // namespace lightrun::tests
