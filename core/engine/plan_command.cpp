#include "engine/plan_command.hpp"

#include "engine/build.hpp"
#include "engine/logging.hpp"
#include "engine/optimizers.hpp"
#include "engine/plan_text.hpp"
#include "support/line_printer.hpp"

#include <unistd.h>

#include <algorithm>

int lightrun_plan(const lightrun::engine::PlanRequest& request) {
  using namespace lightrun;
  using namespace lightrun::engine;
  support::LinePrinter printer(STDOUT_FILENO, support::look_at_terminal(STDOUT_FILENO));
  const Logging logging(printer, request.run.verbose);
  RunRequest dry = request.run;
  dry.dry = dry.quiet = true;
  dry.trace.reset();
  {
    const auto run = build(dry, printer);
    configure_optimizers(*run);
    const auto width = static_cast<std::size_t>(std::clamp(printer.width(), 40, 100));
    for (const std::string& line : plan_text(*run, width)) printer.line(line);
  }
  if (!request.hooks && !request.run.trace) return 0;
  const auto calls = rehearse(dry, printer, request.run.trace);
  if (!request.hooks) return 0;
  printer.line("");
  printer.line("hooks of the first epoch (batches counted from 0)");
  for (const std::string& line : hooks_text(calls)) printer.line(line);
  return 0;
}
