#include "engine/entry.hpp"

#include "engine/build.hpp"
#include "engine/failure.hpp"
#include "engine/fit_loop.hpp"
#include "engine/output.hpp"
#include "engine/test_loop.hpp"
#include "support/line_printer.hpp"
#include "support/log_sink.hpp"
#include "support/quantity.hpp"
#include "support/table.hpp"

#include <lightrun/error.hpp>

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

#include <unistd.h>

#include <utility>

namespace lightrun::engine {
namespace {

/// The log of this process, for as long as the command runs: warnings to stderr, everything to the run's
/// log.txt once there is one.
class Logging {
 public:
  Logging(support::LinePrinter& printer, bool verbose) : earlier_(spdlog::default_logger()) {
    auto screen = support::make_log_sink(printer, STDERR_FILENO);
    screen->set_level(verbose ? spdlog::level::debug : spdlog::level::warn);
    screen->set_pattern("%^%l%$: %v");
    auto logger = std::make_shared<spdlog::logger>("lightrun", std::move(screen));
    logger->set_level(spdlog::level::debug);
    logger->flush_on(spdlog::level::debug);
    spdlog::set_default_logger(std::move(logger));
  }
  ~Logging() { spdlog::set_default_logger(earlier_); }
  Logging(const Logging&) = delete;
  Logging& operator=(const Logging&) = delete;

  void add_file(const std::string& path) {
    file_ = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path);
    file_->set_pattern("%Y-%m-%d %H:%M:%S.%e %l: %v");
    spdlog::default_logger()->sinks().push_back(file_);
  }

  /// To the file only: main() prints what it was that ended the run.
  void error_to_file(const std::string& text) {
    if (!file_) return;
    spdlog::logger("lightrun", file_).error("{}", text);
    file_->flush();
  }

 private:
  std::shared_ptr<spdlog::logger> earlier_;
  spdlog::sink_ptr file_;
};

/// What ended the run, as one of our own errors: a foreign exception becomes a RunError that says in which
/// hook and where.
[[noreturn]] void throw_as_error(const Run& run) {
  const std::exception_ptr error = std::current_exception();
  try {
    throw;
  } catch (const NonFiniteError&) {
    throw;
  } catch (const ConfigError&) {
    throw;
  } catch (...) {
    throw RunError(std::string(run.bus->last()) + " failed at " + run.failure_place +
                   " (counted from 0): " + describe(error));
  }
}

void finish_loggers(Run& run, const std::string& status) {
  for (const auto& logger : std::exchange(run.loggers, {})) logger->finalize(status);
}

template <typename Work>
void run_and_finish(Run& run, Logging& logging, Work&& work) {
  try {
    work();
    finish_loggers(run, run.interrupted() ? run.stop_reason : "success");
  } catch (...) {
    try {
      throw_as_error(run);
    } catch (const Error& error) {
      logging.error_to_file(error.what());
      try {
        finish_loggers(run, error.what());
      } catch (const Error& second) {
        spdlog::error("{}", second.what());
      }
      throw;
    }
  }
  spdlog::info("ended: {}", run.stop_reason);
}

void print_profile(const Run& run, support::LinePrinter& printer) {
  if (!run.profiler) return;
  printer.line("");
  for (const std::string& line : run.profiler->table()) printer.line(line);
}

void print_results(const Metrics& results, support::LinePrinter& printer) {
  support::Table table({{"metric"}, {"value", support::Table::Align::right}});
  for (const auto& [name, value] : results) table.add_row({name, support::value_text(value)});
  for (const std::string& line : table.lines()) printer.line(line);
}

int exit_code(const Run& run) {
  const auto signal = run.signals->received();
  return signal ? 128 + *signal : 0;
}

}  // namespace
}  // namespace lightrun::engine

int lightrun_train(const lightrun::engine::RunRequest& request) {
  using namespace lightrun;
  support::LinePrinter printer(STDOUT_FILENO, support::look_at_terminal(STDOUT_FILENO));
  engine::Logging logging(printer, request.verbose);
  const auto run = engine::build(request, printer);
  if (!run->info.run_dir.empty()) logging.add_file(engine::log_path(run->info));
  spdlog::info("training {} ({}), seed {}", run->info.model_name, run->info.plugin_path, run->info.seed);
  engine::run_and_finish(*run, logging, [&] { engine::fit(*run); });
  engine::print_profile(*run, printer);
  return engine::exit_code(*run);
}

int lightrun_test(const lightrun::engine::RunRequest& request) {
  using namespace lightrun;
  support::LinePrinter printer(STDOUT_FILENO, support::look_at_terminal(STDOUT_FILENO));
  engine::Logging logging(printer, request.verbose);
  const auto run = engine::build_test(request, printer);
  Metrics results;
  engine::run_and_finish(*run, logging, [&] { results = engine::test(*run); });
  if (!run->interrupted()) engine::print_results(results, printer);
  engine::print_profile(*run, printer);
  return engine::exit_code(*run);
}
