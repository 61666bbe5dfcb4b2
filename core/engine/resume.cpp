#include "engine/resume.hpp"

#include "support/run_folder.hpp"

#include <lightrun/error.hpp>

#include <spdlog/spdlog.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace lightrun::engine {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLastFile = "last.ckpt";

struct Candidate {
  fs::path path;
  state::CheckpointHead head;
};

/// The checkpoints in a folder, the latest first.
/// @param says_damaged whether the log names those whose first part cannot be read
std::vector<Candidate> checkpoints_in(const fs::path& folder, bool says_damaged = false) {
  std::vector<Candidate> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() != ".ckpt") continue;
    try {
      found.push_back({entry->path(), state::read_checkpoint_head(entry->path())});
    } catch (const RunError& unreadable) {
      if (says_damaged) spdlog::warn("{}", unreadable.what());
    }
  }
  // Of two of one instant last.ckpt is the one that goes on being written.
  std::ranges::sort(found, std::greater{}, [](const Candidate& each) {
    return std::pair(each.head.run.instant(), each.path.filename() == kLastFile);
  });
  return found;
}

/// The latest that is good all through, if there is one.
std::optional<std::pair<fs::path, state::Checkpoint>> newest_good(const std::vector<Candidate>& candidates,
                                                                  bool says_damaged) {
  for (const Candidate& candidate : candidates) {
    try {
      return std::pair(candidate.path, state::read_checkpoint(candidate.path));
    } catch (const RunError& damaged) {
      if (says_damaged) spdlog::warn("{}; trying the one before it", damaged.what());
    }
  }
  return std::nullopt;
}

/// The folder that a checkpoint is in, as the user wrote it where that is possible.
fs::path folder_of(const fs::path& checkpoint) {
  const fs::path folder = checkpoint.parent_path();
  return folder.has_parent_path() ? folder : fs::absolute(checkpoint).parent_path();
}

/// The run that a checkpoint lies in, if it lies in one.
fs::path run_dir_of(const config::RunSection& run, const fs::path& checkpoint) {
  const fs::path folder = folder_of(checkpoint);
  if (folder.filename() == "checkpoints" && support::holds_a_run(folder.parent_path()))
    return folder.parent_path();
  if (run.checkpoint_dir.empty()) return {};
  const fs::path run_dir =
      run.folder.empty() ? fs::path(run.dir) / run.name / folder.filename() : fs::path(run.folder);
  std::error_code error;
  return fs::equivalent(checkpoint_folder(run, run_dir), folder, error) ? run_dir : fs::path();
}

ResumePoint resume_point(const config::RunSection& run, fs::path path, state::Checkpoint checkpoint) {
  ResumePoint point{
      .path = std::move(path), .run_dir = {}, .is_newest = true, .checkpoint = std::move(checkpoint)};
  point.run_dir = run_dir_of(run, point.path);
  for (const Candidate& other : checkpoints_in(folder_of(point.path))) {
    const bool is_later = other.head.run.instant() > point.checkpoint.run.instant();
    if (other.head.run_id == point.checkpoint.run_id && is_later) point.is_newest = false;
  }
  return point;
}

/// Which file the run's own notes call its best.
fs::path best_in(const fs::path& folder) {
  if (const auto newest = newest_good(checkpoints_in(folder), /*says_damaged=*/true)) {
    for (const auto& [key, values] : newest->second.callbacks) {
      if (values.contains("best_file")) return folder / values.get<std::string>("best_file");
    }
  }
  return folder / "best.ckpt";
}

/// The best of the newest run, or of the last one before it that has a best.
fs::path best_of(const std::vector<fs::path>& folders) {
  std::error_code error;
  fs::path newest;
  for (const fs::path& folder : folders) {
    fs::path best = best_in(folder);
    if (newest.empty()) newest = best;
    if (!fs::exists(best, error)) continue;
    if (best != newest) spdlog::warn("{} is not there: going on from {}", newest.string(), best.string());
    return best;
  }
  return newest;
}

/// A checkpoint that was named; where it is damaged, the message says which one is good.
ResumePoint named(const config::RunSection& run, const fs::path& path) {
  try {
    return resume_point(run, path, state::read_checkpoint(path));
  } catch (const RunError& error) {
    std::error_code unreadable;
    if (!fs::exists(path, unreadable)) throw;
    auto others = checkpoints_in(folder_of(path));
    std::erase_if(others, [&](const Candidate& each) { return fs::equivalent(each.path, path, unreadable); });
    const auto good = newest_good(others, /*says_damaged=*/false);
    if (!good) throw;
    throw RunError(std::string(error.what()) + "; the newest good one is " + good->first.string());
  }
}

/// A path as the user gave it, if it can be one of a checkpoint; where a link points.
fs::path checked_path(const fs::path& path) {
  if (path.empty()) throw UsageError("--resume: last, best, auto or the path of a checkpoint is missing");
  std::error_code error;
  if (fs::is_directory(path, error)) {
    throw RunError(path.string() + ": is a folder; give a file, such as " +
                   (path / "checkpoints/last.ckpt").string());
  }
  return fs::is_symlink(path, error) ? fs::canonical(path) : path;
}

/// The checkpoints' folders of all runs that are meant, the newest run's first.
std::vector<fs::path> checkpoint_folders(const config::RunSection& run) {
  std::vector<fs::path> folders;
  if (run.folder.empty())
    folders = support::run_folders(run.dir, run.name);
  else if (support::holds_a_run(run.folder))
    folders.emplace_back(run.folder);
  for (fs::path& each : folders) each = checkpoint_folder(run, each);
  return folders;
}

bool holds_checkpoints(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".ckpt") return true;
  return false;
}

/// The newest run's folder, or that of the last one before it that came to a checkpoint.
fs::path newest_with_checkpoints(const std::vector<fs::path>& folders) {
  const auto found = std::ranges::find_if(folders, holds_checkpoints);
  return found == folders.end() ? folders.front() : *found;
}

/// The latest of a folder: last.ckpt, unless the run has gone past it without writing it.
fs::path last_in(const fs::path& folder) {
  const fs::path last = folder / kLastFile;
  const auto candidates = checkpoints_in(folder);
  if (candidates.empty()) return last;
  const bool is_there = std::ranges::find(candidates, last, &Candidate::path) != candidates.end();
  std::error_code error;
  if (!is_there && fs::exists(last, error)) return last;  // and is damaged
  const fs::path& latest = candidates.front().path;
  if (latest != last)
    spdlog::warn("{} {}: going on from {}", last.string(), is_there ? "is not the newest" : "is not there",
                 latest.string());
  return latest;
}

}  // namespace

fs::path checkpoint_folder(const config::RunSection& run, const fs::path& run_dir) {
  if (run.checkpoint_dir.empty()) return run_dir / "checkpoints";
  const fs::path path = fs::absolute(run_dir / "").lexically_normal();  // of "out", "out/" and "out/." one
  return fs::path(run.checkpoint_dir) / run.name / path.parent_path().filename();
}

std::optional<ResumePoint> find_resume_point(const config::RunSection& run, const std::string& word) {
  const bool is_auto = word == "auto";
  if (!is_auto && word != "last" && word != "best") return named(run, checked_path(word));
  const auto folders = checkpoint_folders(run);
  const std::string where = run.folder.empty() ? (fs::path(run.dir) / run.name).string() : run.folder;
  if (folders.empty()) {
    if (!is_auto) throw RunError("--resume " + word + ": there is no run in " + where);
    spdlog::warn("--resume auto: there is no run in {} yet: a new one begins", where);
    return std::nullopt;
  }
  if (word == "best") return named(run, best_of(folders));
  const fs::path folder = newest_with_checkpoints(folders);
  if (folder != folders.front())
    spdlog::warn("{} holds no checkpoint: going on with {}", folders.front().string(), folder.string());
  if (!is_auto) return named(run, last_in(folder));
  if (auto good = newest_good(checkpoints_in(folder, /*says_damaged=*/true), /*says_damaged=*/true))
    return resume_point(run, std::move(good->first), std::move(good->second));
  spdlog::warn("--resume auto: there is no good checkpoint in {}: a new run begins", folder.string());
  return std::nullopt;
}

}  // namespace lightrun::engine
