#include "commands.hpp"
#include "config/resolve.hpp"
#include "engine/plan_command.hpp"
#include "engine_library.hpp"
#include "run_options.hpp"

#include <CLI/CLI.hpp>

namespace lightrun::app {

void add_plan(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* command = add_run_command(
      app, "plan", "Say what a run would do: batches, steps, validations, learning rates, memory", options);
  command->add_flag("--hooks", options->hooks, "Also every hook of the first epoch, in its order");
  command->footer(
      "Nothing is trained or written, but for the hooks to the file of --trace.\n"
      "\n"
      "  lightrun plan configs/digits.yaml\n"
      "  lightrun plan configs/digits.yaml --accumulate_grad_batches 4 --hooks");
  command->final_callback([options, command, &exit_code] {
    const engine::PlanRequest request{
        .run = run_request(config::resolve_words(config_words(*command), own_flags()), *options, *command),
        .hooks = options->hooks};
    exit_code = call_engine<engine::PlanFunction>(engine::kPlanSymbol, request);
  });
}

}  // namespace lightrun::app
