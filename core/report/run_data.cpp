#include "report/run_data.hpp"

#include "config/yaml_reader.hpp"
#include "report/text_file.hpp"
#include "support/run_folder.hpp"

#include <lightrun/error.hpp>

#include <algorithm>
#include <system_error>
#include <utility>

namespace lightrun::report {
namespace {

namespace fs = std::filesystem;

/// Reads one file of a run; what is wrong with it is a problem of the report, not its end.
template <typename Read>
void attempt(RunData& run, Read&& read) {
  try {
    read();
  } catch (const Error& error) {
    run.problems.emplace_back(error.what());
  }
}

void read_config(const fs::path& path, RunData& run) {
  const auto text = read_text(path);
  if (!text) return;
  run.config = *text;
  std::vector<config::Problem> problems;
  const auto value = config::read_yaml(*text, path.string(), problems);
  for (const config::Problem& problem : problems) run.problems.push_back(problem.message());
  if (value && problems.empty()) run.settings = settings_of(*value);
}

void read_record(const fs::path& path, RunData& run) {
  const auto text = read_text(path);
  if (!text) return;
  try {
    run.record = parse_run_record(*text);
  } catch (const RunError& error) {
    throw RunError(path.string() + ": " + error.what());
  }
}

/// The setting's text without its quotes; "" where there is none, or null.
[[nodiscard]] std::string setting(const RunData& run, std::string_view path) {
  if (!run.settings) return "";
  const auto found = std::ranges::find(*run.settings, path, &Settings::value_type::first);
  if (found == run.settings->end() || found->second == "null") return "";
  const std::string& text = found->second;
  const bool is_quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

[[nodiscard]] fs::path checkpoint_folder(const fs::path& folder, const RunData& run) {
  const fs::path elsewhere = setting(run, "run.checkpoint_dir");
  std::error_code ignored;
  return !elsewhere.empty() && fs::is_directory(elsewhere, ignored) ? elsewhere : folder / "checkpoints";
}

[[nodiscard]] bool is_number_of_a_run(const std::string& name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
}

[[nodiscard]] fs::path find_run(const std::string& given) {
  const fs::path path = given;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) throw RunError(given + ": there is no such folder; a run's is like runs/digits/0");
  if (!fs::is_directory(status))
    throw RunError(given + ": is a file; what is expected is a run's folder, like runs/digits/0");
  if (support::holds_a_run(path)) return path;
  for (const fs::path& folder : support::run_folders(path, ""))
    if (support::holds_a_run(folder)) return folder;
  throw RunError(
      given +
      ": holds no run (config.yaml, metrics.csv, log.txt, checkpoints/), nor do numbered folders in "
      "it; what is expected is a run's folder, like runs/digits/0, or that of its name, runs/digits");
}

}  // namespace

std::string name_of_run(const fs::path& folder) {
  std::error_code error;
  fs::path real = fs::canonical(folder, error);
  if (error) real = folder;
  if (!real.has_filename()) real = real.parent_path();
  const std::string own = real.filename().string();
  const std::string parent = real.parent_path().filename().string();
  return is_number_of_a_run(own) && !parent.empty() ? parent + "/" + own : own;
}

RunData read_run(const fs::path& folder) {
  RunData run{.name = name_of_run(folder), .folder = folder.string()};
  attempt(run, [&] { run.metrics = read_metrics(folder); });
  attempt(run, [&] { read_config(folder / "config.yaml", run); });
  attempt(run, [&] { read_record(folder / "run.json", run); });
  attempt(run, [&] { run.log = read_log_messages(folder / "log.txt"); });
  run.checkpoints = read_checkpoints(checkpoint_folder(folder, run));
  run.problems.insert(run.problems.end(), run.checkpoints.problems.begin(), run.checkpoints.problems.end());
  if (run.metrics.bad_lines > 0) {
    run.problems.push_back(folder.string() + ": " + std::to_string(run.metrics.bad_lines) +
                           " lines of the metrics' file are no rows and left out");
  }
  return run;
}

std::vector<fs::path> find_runs(const std::vector<std::string>& paths) {
  std::vector<fs::path> folders;
  for (const std::string& path : paths) {
    fs::path folder = find_run(path);
    const bool is_known = std::ranges::any_of(folders, [&](const fs::path& other) {
      std::error_code ignored;
      return fs::equivalent(other, folder, ignored);
    });
    if (!is_known) folders.push_back(std::move(folder));
  }
  return folders;
}

}  // namespace lightrun::report
