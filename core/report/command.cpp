#include "report/command.hpp"

#include "report/page.hpp"
#include "report/run_data.hpp"
#include "support/line_printer.hpp"
#include "support/quantity.hpp"

#include <lightrun/error.hpp>

#include <unistd.h>

#include <cstdint>
#include <filesystem>

int lightrun_report(const lightrun::report::ReportRequest& request) {
  using namespace lightrun;
  const auto folders = report::find_runs(request.runs);
  if (folders.empty()) throw UsageError("lightrun report: name at least one run's folder");
  std::filesystem::path out = "report.html";
  if (folders.size() == 1) out = folders.front() / out;
  if (request.out) out = *request.out;
  report::write_report(folders, out);
  support::LinePrinter printer(STDOUT_FILENO, support::look_at_terminal(STDOUT_FILENO));
  printer.line(out.string() + ": " + support::counted(std::ssize(folders), "run", "runs") + ", " +
               support::bytes_text(static_cast<int64_t>(std::filesystem::file_size(out))));
  return 0;
}
