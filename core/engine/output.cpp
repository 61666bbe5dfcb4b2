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

void make_checkpoint_folder(const fs::path& run_dir) {
  std::error_code error;
  fs::create_directory(run_dir / "checkpoints", error);
  if (error) throw RunError((run_dir / "checkpoints").string() + ": cannot be made: " + error.message());
}

}  // namespace

void make_output(Run& run) {
  if (run.spec.trainer.fast_dev_run > 0) return;
  const support::RunFolder folder = support::make_run_folder(run.spec.run.dir, run.spec.run.name);
  if (!folder.warning.empty()) spdlog::warn("{}", folder.warning);
  run.info.run_dir = folder.path.string();
  make_checkpoint_folder(folder.path);
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
