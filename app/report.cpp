#include "report/command.hpp"

#include "commands.hpp"
#include "engine_library.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace lightrun::app {

void add_report(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<report::ReportRequest>();
  CLI::App* command = app.add_subcommand(
      "report", "Write one HTML page on a run, or on several to compare: curves, configs, checkpoints");
  command
      ->add_option("runs", request->runs,
                   "Run folders (runs/digits/0), or folders of a name (runs/digits: its newest run)")
      ->required()
      ->type_name("RUN");
  command->add_option("--out", request->out, "The file to write; else report.html, of one run in its folder")
      ->type_name("FILE");
  command->footer(
      "The page needs nothing but itself: send it, or keep it with the run.\n"
      "\n"
      "  lightrun report runs/digits/latest\n"
      "  lightrun report runs/digits/0 runs/digits/1 --out compared.html");
  command->final_callback([request, &exit_code] {
    exit_code = call_engine<report::ReportFunction>(report::kReportSymbol, *request);
  });
}

}  // namespace lightrun::app
