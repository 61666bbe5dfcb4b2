#include "engine/entry.hpp"

#include "engine/build.hpp"
#include "engine/evaluation_loop.hpp"
#include "engine/failure.hpp"
#include "engine/finish_loggers.hpp"
#include "engine/fit_loop.hpp"
#include "engine/logging.hpp"
#include "engine/output.hpp"
#include "engine/run_record.hpp"
#include "engine/train.hpp"
#include "predictions/writer.hpp"
#include "support/line_printer.hpp"
#include "support/quantity.hpp"
#include "support/refresh_thread.hpp"
#include "support/table.hpp"

#include <lightrun/error.hpp>

#include <spdlog/spdlog.h>

#include <unistd.h>

#include <utility>

namespace lightrun::engine {
namespace {

/// Of what `work` throws, and of what the record's file meets then, the first is thrown.
void record_failure(const Run& run, const RunRecord& record, const Error& error) {
  try {
    record.write(run, "failed", error.what());
  } catch (const Error& second) {
    spdlog::error("{}", second.what());
  }
}

template <typename Work>
void run_and_finish(Run& run, Logging& logging, const RunRecord& record, Work&& work) {
  try {
    record.write(run, "running");
    work();
    run.bus->doing("closing the loggers");
    finish_loggers(run, run.interrupted() ? run.stop_reason : "success");
    record.write(run, run.interrupted() ? "stopped" : "complete", run.stop_reason);
  } catch (...) {
    try {
      throw_as_error(run);
    } catch (const Error& error) {
      logging.error_to_file(error.what());
      record_failure(run, record, error);
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

void print_profile(const Run& run, bool quiet, support::LinePrinter& printer) {
  if (!run.profiler) return;
  const auto trace = run.profiler->close_trace();
  if (quiet) return;
  printer.line("");
  for (const std::string& line : run.profiler->table()) printer.line(line);
  if (trace) printer.line(*trace);
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

Training train(const RunRequest& request, Embedded embedded) {
  support::LinePrinter printer(STDOUT_FILENO, support::look_at_terminal(STDOUT_FILENO));
  const support::RefreshThread refresh_thread(printer);
  Logging logging(printer, request.verbose);
  const RunRecord record(request.command);
  const auto run = build(request, printer, std::move(embedded));
  if (!run->info.run_dir.empty()) logging.add_file(log_path(run->info));
  spdlog::info("training {} ({}), seed {}", run->info.model_name, run->info.plugin_path, run->info.seed);
  run_and_finish(*run, logging, record, [&] { fit(*run); });
  print_profile(*run, request.quiet, printer);
  return {.signal = run->signals->received(),
          .reason = run->stop_reason,
          .metrics = run->metrics.latest(),
          .run_dir = run->info.run_dir};
}

}  // namespace lightrun::engine

int lightrun_train(const lightrun::engine::RunRequest& request) {
  const auto training = lightrun::engine::train(request);
  return training.signal ? 128 + *training.signal : 0;
}

int lightrun_test(const lightrun::engine::RunRequest& request) {
  using namespace lightrun;
  support::LinePrinter printer(STDOUT_FILENO, support::look_at_terminal(STDOUT_FILENO));
  const support::RefreshThread refresh_thread(printer);
  engine::Logging logging(printer, request.verbose);
  const engine::RunRecord record(request.command);
  const auto run = engine::build_test(request, printer);
  Metrics results;
  engine::run_and_finish(*run, logging, record, [&] { results = engine::test(*run); });
  if (!run->interrupted()) engine::print_results(results, printer);
  engine::print_profile(*run, request.quiet, printer);
  return engine::exit_code(*run);
}

int lightrun_predict(const lightrun::engine::RunRequest& request) {
  using namespace lightrun;
  predictions::Writer writer(predictions::open_output(request.out, request.field, request.overwrite));
  support::LinePrinter printer(STDOUT_FILENO, support::look_at_terminal(STDOUT_FILENO));
  const support::RefreshThread refresh_thread(printer);
  engine::Logging logging(printer, request.verbose);
  const engine::RunRecord record(request.command);
  const auto run = engine::build_predict(request, printer);
  bool is_written = false;
  engine::run_and_finish(*run, logging, record, [&] { is_written = engine::predict(*run, writer); });
  if (!is_written)
    spdlog::warn("interrupted: nothing is written");
  else if (!request.quiet)
    printer.line(writer.summary());
  engine::print_profile(*run, request.quiet, printer);
  return engine::exit_code(*run);
}
