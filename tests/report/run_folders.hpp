#pragma once

#include "report/page_data.hpp"
#include "report/run_data.hpp"

#include "support/temporary_folder.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <utility>

/// Run folders as a run leaves them, made by hand.
namespace lightrun::tests {

inline const std::string kFewMetrics =
    "epoch,step,time_s,train_loss,val_loss\n"
    "0,0,0.500,4,\n"
    "0,1,1.000,2,3\n"
    "1,2,2.000,1,\n"
    "1,3,3.000,0.1,2.5\n";

/// Makes `folder` a run of these metrics and this config.
inline void make_run(const std::filesystem::path& folder, const std::string& metrics = kFewMetrics,
                     const std::string& config = "seed: 1\n") {
  std::filesystem::create_directories(folder);
  write_file(folder / "metrics.csv", metrics);
  write_file(folder / "config.yaml", config);
}

/// A run of these metrics and nothing else, which is in no folder.
inline report::RunData run_of(const std::string& metrics, const std::string& name = "x/0") {
  return {.name = name, .folder = name, .metrics = report::parse_metrics_csv(metrics)};
}

/// The data of a page on one run.
inline nlohmann::json data_of(report::RunData run, std::size_t most_rows = report::kMostRows) {
  return nlohmann::json::parse(report::page_data({std::move(run)}, most_rows));
}

}  // namespace lightrun::tests
