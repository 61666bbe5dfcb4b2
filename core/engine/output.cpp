#include "engine/output.hpp"

#include "loggers/csv_logger.hpp"
#include "support/atomic_file.hpp"
#include "support/run_folder.hpp"

#include <lightrun/error.hpp>

#include <spdlog/spdlog.h>

#include <filesystem>

namespace lightrun::engine {
namespace {

namespace fs = std::filesystem;

/// In the run's folder, or where run.checkpoint_dir says, under the run's name and number: two runs never
/// share one.
void make_checkpoint_folder(Run& run, const fs::path& run_dir) {
  if (!run.spec.trainer.enable_checkpointing) return;
  fs::path folder = run_dir / "checkpoints";
  if (!run.spec.run.checkpoint_dir.empty()) {
    folder = fs::path(run.spec.run.checkpoint_dir) / run.spec.run.name / run_dir.filename();
  }
  std::error_code error;
  fs::create_directories(folder.parent_path(), error);
  const bool is_new = !error && fs::create_directory(folder, error);
  if (error) throw RunError(folder.string() + ": cannot be made: " + error.message());
  if (!is_new) {
    throw ConfigError(run.at_setting("run.checkpoint_dir") + folder.string() +
                      " is there already, from another run; give another folder or another run.name");
  }
  run.info.checkpoint_dir = folder.string();
}

}  // namespace

void make_output(Run& run) {
  if (run.spec.trainer.fast_dev_run > 0) return;
  const support::RunFolder folder = support::make_run_folder(run.spec.run.dir, run.spec.run.name);
  if (!folder.warning.empty()) spdlog::warn("{}", folder.warning);
  run.info.run_dir = folder.path.string();
  make_checkpoint_folder(run, folder.path);
  support::write_file_atomically(folder.path / "config.yaml", run.resolved_config);
  for (const auto& spec : run.spec.loggers) {
    if (std::holds_alternative<config::CsvLoggerSpec>(spec)) {
      run.loggers.push_back(std::make_unique<loggers::CsvLogger>(folder.path / "metrics.csv"));
    }
  }
}

std::string log_path(const RunInfo& info) {
  return (fs::path(info.run_dir) / "log.txt").string();
}

}  // namespace lightrun::engine
