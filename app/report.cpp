#include "report/command.hpp"

#include "commands.hpp"
#include "engine_command.hpp"
#include "help.hpp"

namespace lightrun::app {

void add_report(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<report::ReportRequest>();
  CLI::App* command =
      app.add_subcommand("report", "Write one HTML page on a run, or on several to compare them");
  command
      ->add_option("RUN", request->runs,
                   "A run's folder (runs/digits/0), or the folder of a name (runs/digits: its newest run)")
      ->required();
  command->add_option("--out", request->out, "The file to write; else report.html, of one run in its folder")
      ->type_name("FILE");
  end_help(*command, "The page needs nothing but itself: send it, or keep it with the run.",
           {"lightrun report runs/digits/latest",
            "lightrun report runs/digits/0 runs/digits/1 --out compared.html"});
  answer_with<report::ReportFunction>(*command, report::kReportSymbol, request, exit_code);
}

}  // namespace lightrun::app
