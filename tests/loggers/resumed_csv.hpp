#pragma once

#include "loggers/csv_logger.hpp"

#include "support/temporary_folder.hpp"

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <vector>

/// Runs that log to a metrics.csv, and are resumed.
namespace lightrun::tests {

using loggers::CsvLogger;
using loggers::Logger;
using loggers::LoggerState;

struct Call {
  int64_t step;
  int64_t epoch;
  double seconds;
  Logger::Metrics metrics;
};
using Calls = std::span<const Call>;

/// Lines that are completed, steps of two lines, late columns, names that need quotes, all kinds of numbers.
inline const std::vector<Call> kRun = {
    {0, 0, 0.5, {{"train_loss", 1.0 / 3}, {"lr", 1e-3}}},
    {1, 0, 1, {{"train_loss", 0.1}}},
    {1, 0, 1.25, {{"val_loss", 4}}},  // a new column, and the line is completed
    {1, 0, 1.5, {{"val_loss", 3}}},   // a second line of the step
    {1, 0, 1.75, {{"val_loss", 3}, {"train_loss", 0.2}}},
    {1, 0, 1.875, {{"val_loss", 4}}},  // a third, with the first one's value
    {1, 1, 2, {{"train_loss", std::numeric_limits<double>::denorm_min()}}},  // a step of another epoch
    {2, 1, 3, {{"train_loss", NAN}, {"a, \"b\"\nc", 1}}},
    {3, 1, 4, {{"late", -std::numeric_limits<double>::infinity()}}},
    {3, 1, 4.5, {{"train_loss", -0.0}}},
    {4, 1, 5, {{"val_loss", 1e300}}},
    {4, 1, 5.5, {{"last", 1}}},
    {5, 1, 6, {{"train_loss", 0.3}, {"val_loss", 1}}},
};

inline void log(CsvLogger& logger, Calls calls) {
  for (const auto& [step, epoch, seconds, metrics] : calls) logger.log_metrics(step, epoch, seconds, metrics);
}

/// The state after the first `calls` of a run of its own.
inline LoggerState state_after(Calls calls) {
  const TemporaryFolder folder;
  CsvLogger logger(folder / "metrics.csv");
  log(logger, calls);
  return logger.state();
}

/// The file of a run of `calls` that nothing interrupts.
inline std::string file_after(Calls calls) {
  const TemporaryFolder folder;
  CsvLogger logger(folder / "metrics.csv");
  log(logger, calls);
  return read_file(folder / "metrics.csv");
}

/// Steps 0 to `count` - 1 with a loss each: "0,<step>,<step>.000,<step>".
inline std::vector<Call> steps(int64_t count) {
  std::vector<Call> calls;
  for (int64_t i = 0; i < count; ++i)
    calls.push_back({i, 0, static_cast<double>(i), {{"loss", static_cast<double>(i)}}});
  return calls;
}

inline const std::string kHeader = "epoch,step,time_s,loss\n";

/// The lines of these steps().
inline std::string lines(std::initializer_list<int> which) {
  std::string text;
  for (const int i : which) {
    const std::string step = std::to_string(i);
    text.append("0,").append(step).append(",").append(step).append(".000,").append(step).append("\n");
  }
  return text;
}

/// What becomes of a metrics.csv of this text when it is continued from `state`.
struct Continued {
  std::string file;
  std::string warning;             // without the folder
  std::vector<std::string> names;  // of what is in the folder
  LoggerState state;
};

inline Continued continued(const std::string& text, const LoggerState& state) {
  const TemporaryFolder folder;
  const auto path = folder / "metrics.csv";
  write_file(path, text);
  const CsvLogger logger(path, state, path);
  std::string warning = logger.warning();
  if (warning.starts_with(path.string())) warning.erase(0, folder.path().string().size() + 1);
  return {.file = read_file(path), .warning = warning, .names = folder.names(), .state = logger.state()};
}

inline const std::vector<std::string> kAlone = {"metrics.csv"};
inline const std::vector<std::string> kWithOld = {"metrics.csv", "metrics.csv.1"};

}  // namespace lightrun::tests
