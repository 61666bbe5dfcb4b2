#include "engine/output.hpp"

#include "engine/make_loggers.hpp"
#include "support/atomic_file.hpp"
#include "support/run_folder.hpp"

#include <lightrun/error.hpp>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <random>

namespace lightrun::engine {
namespace {

namespace fs = std::filesystem;

/// A number that no other run has.
std::string new_run_id() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

bool goes_on_in_its_folder(const RunRequest& request, const ResumePoint* from) {
  if (!from || request.new_run || !from->is_newest || from->run_dir.empty()) return false;
  std::error_code error;
  const std::string& folder = request.spec.run.folder;
  return folder.empty() || fs::equivalent(folder, from->run_dir, error);
}

/// Another run may begin in `folder`: the one that it holds goes on living beside it, under another name.
void move_run_aside(const fs::path& folder) {
  const support::RunLock not_in_use(folder);
  fs::path name = folder;
  if (!name.has_filename()) name = name.parent_path();
  fs::path aside;
  for (int number = 1; aside.empty() || fs::exists(aside); ++number)
    aside = name.string() + ".old-" + std::to_string(number);
  std::error_code error;
  fs::rename(name, aside, error);
  if (error)
    throw RunError(folder.string() + ": cannot be moved to " + aside.string() + ": " + error.message());
  spdlog::warn("the run that was in {} is in {} now", folder.string(), aside.string());
}

/// run.folder, which must be free, or be given up.
fs::path take_fixed_folder(Run& run, const RunRequest& request) {
  const fs::path folder = request.spec.run.folder;
  if (support::holds_a_run(folder)) {
    // --resume auto has found no good checkpoint in it.
    if (!request.overwrite && request.resume != "auto") {
      throw RunError(folder.string() +
                     " holds a run already: --resume last goes on with it, --overwrite puts it aside");
    }
    move_run_aside(folder);
  }
  support::make_fixed_run_folder(folder);
  run.lock.emplace(folder);
  return folder;
}

fs::path take_new_folder(Run& run) {
  const support::RunFolder folder = support::make_run_folder(run.spec.run.dir, run.spec.run.name);
  if (!folder.warning.empty()) spdlog::warn("{}", folder.warning);
  run.lock.emplace(folder.path);
  return folder.path;
}

/// The run's folder, made and locked.
fs::path take_folder(Run& run, const RunRequest& request, const ResumePoint* from) {
  if (!goes_on_in_its_folder(request, from)) {
    if (from && !request.new_run && !from->run_dir.empty() && !from->is_newest)
      spdlog::warn(
          "{} is not the newest checkpoint of its run, which stays as it is: the run goes on in a new folder",
          from->path.string());
    run.run_id = new_run_id();
    return request.spec.run.folder.empty() ? take_new_folder(run) : take_fixed_folder(run, request);
  }
  run.lock.emplace(from->run_dir);
  run.run_id = from->checkpoint.run_id;
  return from->run_dir;
}

/// In the run's folder, or where run.checkpoint_dir says, under the run's name and number: two runs never
/// share one.
void make_checkpoint_folder(Run& run, const fs::path& run_dir, bool may_exist) {
  if (!run.spec.trainer.enable_checkpointing) return;
  const fs::path folder = checkpoint_folder(run.spec.run, run_dir);
  std::error_code error;
  fs::create_directories(folder.parent_path(), error);
  const bool is_new = !error && fs::create_directory(folder, error);
  if (error) throw RunError(folder.string() + ": cannot be made: " + error.message());
  if (!is_new && !may_exist) {
    throw ConfigError(run.at_setting("run.checkpoint_dir") + folder.string() +
                      " is there already, from another run; give another folder or another run.name");
  }
  run.info.checkpoint_dir = folder.string();
}

}  // namespace

void make_output(Run& run, const RunRequest& request, const ResumePoint* from) {
  if (request.overwrite && request.spec.run.folder.empty())
    throw UsageError(
        "lightrun train: --overwrite goes with run.folder; without it every run has a new folder");
  if (request.dry || run.spec.trainer.fast_dev_run > 0) return;
  const fs::path folder = take_folder(run, request, from);
  const bool is_old = from && folder == from->run_dir;
  run.info.run_dir = folder.string();
  make_checkpoint_folder(run, folder, is_old);
  if (!run.lock->warning().empty()) spdlog::warn("{}", run.lock->warning());
  support::sweep_temporaries(folder);
  if (!run.info.checkpoint_dir.empty()) support::sweep_temporaries(run.info.checkpoint_dir);
  support::write_file_atomically(folder / "config.yaml", run.resolved_config);
  add_loggers(run, folder, from);
}

std::string log_path(const RunInfo& info) {
  return (fs::path(info.run_dir) / "log.txt").string();
}

}  // namespace lightrun::engine
