#include "commands.hpp"
#include "config/resolve.hpp"
#include "engine/plan_command.hpp"
#include "engine_library.hpp"
#include "help.hpp"
#include "run_options.hpp"

#include <CLI/CLI.hpp>

namespace lightrun::app {

void add_plan(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* command =
      add_run_command(app, "plan", "Say what a run would do: batches, steps, rates, memory", options);
  command->add_flag("--hooks", options->hooks, "Also every hook of the first epoch, in its order");
  command->add_option("--trace", options->trace, "Write these hooks to FILE, a JSON object a line")
      ->type_name("FILE");
  end_help(*command, "Nothing is trained, and nothing written but the trace.",
           {"lightrun plan configs/digits.yaml",
            "lightrun plan configs/digits.yaml --accumulate_grad_batches 4 --hooks"});
  command->final_callback([options, command, &exit_code] {
    const engine::PlanRequest request{
        .run = run_request(config::resolve_words(config_words(*command), own_flags(*command)), *options,
                           *command),
        .hooks = options->hooks};
    exit_code = call_engine<engine::PlanFunction>(engine::kPlanSymbol, request);
  });
}

}  // namespace lightrun::app
