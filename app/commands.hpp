#pragma once

namespace CLI {
class App;
}

namespace lightrun::app {

/// Each adds one subcommand to the command line. Parsing it runs it and sets `exit_code`; errors are thrown
/// as lightrun::Error.
void add_train(CLI::App& app, int& exit_code);
void add_test(CLI::App& app, int& exit_code);
void add_predict(CLI::App& app, int& exit_code);
void add_check(CLI::App& app, int& exit_code);
void add_plan(CLI::App& app, int& exit_code);
void add_plugins(CLI::App& app, int& exit_code);
void add_inspect(CLI::App& app, int& exit_code);
void add_export(CLI::App& app, int& exit_code);
void add_report(CLI::App& app, int& exit_code);
void add_new(CLI::App& app);
void add_build(CLI::App& app);
void add_reference(CLI::App& app);
void add_schema(CLI::App& app, int& exit_code);
void add_completion(CLI::App& app);

}  // namespace lightrun::app
