#include "engine/make_loggers.hpp"

#include "config/block.hpp"
#include "config/fields.hpp"
#include "loggers/csv_logger.hpp"
#include "loggers/jsonl_logger.hpp"
#include "loggers/tensorboard_logger.hpp"

#include <lightrun/error.hpp>

#include <spdlog/spdlog.h>

#include <memory>
#include <string>
#include <system_error>

namespace lightrun::engine {
namespace {

namespace fs = std::filesystem;

constexpr const char* kType = "type";
constexpr const char* kPath = "path";

std::string type_of(const config::LoggerSpec& spec) {
  config::LoggerSpec copy = spec;
  return config::describe(copy).type;
}

/// What the checkpoint has of this logger; nothing where it had none like it. One without a type is of a time
/// when there was only csv.
loggers::LoggerState state_in(const state::Checkpoint& checkpoint, const config::LoggerSpec& spec) {
  const auto text = [](const loggers::LoggerState& state, const char* key, const char* otherwise) {
    const auto at = state.find(key);
    return at == state.end() ? std::string(otherwise) : at->second;
  };
  for (const loggers::LoggerState& state : checkpoint.loggers) {
    if (text(state, kType, "csv") == type_of(spec) &&
        text(state, kPath, "metrics.csv") == config::output_path(spec))
      return state;
  }
  return {};
}

/// @param more what its constructor takes beside the path and, to go on with a file, the state and that file
template <typename Logger, typename... More>
std::unique_ptr<loggers::Logger> make_logger(const config::LoggerSpec& spec, const fs::path& folder,
                                             const ResumePoint* from, const More&... more) {
  const fs::path path = folder / config::output_path(spec);
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) throw RunError(path.parent_path().string() + ": cannot be made: " + error.message());
  if (!from || from->run_dir.empty()) return std::make_unique<Logger>(path, more...);
  return std::make_unique<Logger>(path, more..., state_in(from->checkpoint, spec),
                                  fs::path(from->run_dir) / config::output_path(spec));
}

}  // namespace

void add_loggers(Run& run, const fs::path& folder, const ResumePoint* from) {
  for (const config::LoggerSpec& spec : run.spec.loggers) {
    if (const auto* tensorboard = std::get_if<config::TensorboardLoggerSpec>(&spec)) {
      const loggers::TensorboardLogger::Settings settings = {
          .config = run.resolved_config, .histograms_every = tensorboard->gradient_histograms};
      run.loggers.push_back(make_logger<loggers::TensorboardLogger>(spec, folder, from, settings));
    } else if (std::holds_alternative<config::JsonlLoggerSpec>(spec)) {
      run.loggers.push_back(make_logger<loggers::JsonlLogger>(spec, folder, from));
    } else {
      run.loggers.push_back(make_logger<loggers::CsvLogger>(spec, folder, from));
    }
    if (!run.loggers.back()->warning().empty()) spdlog::warn("{}", run.loggers.back()->warning());
  }
}

std::vector<loggers::LoggerState> logger_states(const Run& run) {
  std::vector<loggers::LoggerState> states;
  for (std::size_t i = 0; i < run.loggers.size(); ++i) {
    states.push_back(run.loggers[i]->state());
    if (i >= run.spec.loggers.size()) continue;  // a program's own
    states.back()[kType] = type_of(run.spec.loggers[i]);
    states.back()[kPath] = config::output_path(run.spec.loggers[i]);
  }
  return states;
}

}  // namespace lightrun::engine
