#include "engine/check_command.hpp"

#include "config/bind_params.hpp"
#include "config/problems.hpp"
#include "engine/build.hpp"
#include "engine/device.hpp"
#include "engine/failure.hpp"
#include "engine/fit_loop.hpp"
#include "engine/logging.hpp"
#include "engine/open_plugins.hpp"
#include "state/weights.hpp"
#include "support/line_printer.hpp"
#include "support/quantity.hpp"

#include <lightrun/error.hpp>

#include <spdlog/fmt/fmt.h>

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace lightrun::engine {
namespace {

/// What was found so far.
class Faults {
 public:
  /// Notes what `look` throws.
  template <typename Look>
  void look_at(Look&& look) {
    try {
      look();
    } catch (const Error& error) {
      // A usage error is one among the config's.
      if (!code_ || error.exit_code() == ExitCode::usage) code_ = error.exit_code();
      text_ += (text_.empty() ? "" : "\n") + std::string(error.what());
    }
  }

  [[nodiscard]] bool any() const { return code_.has_value(); }
  /// Adds a line below the faults.
  void note(const std::string& text) { text_ += '\n' + text; }
  void throw_them() const {
    if (code_) throw Error(*code_, text_);
  }

 private:
  std::optional<ExitCode> code_;
  std::string text_;
};

bool is_about(const config::Problem& problem, std::initializer_list<std::string_view> sections) {
  return std::ranges::any_of(sections, [&](std::string_view section) {
    return problem.path == section || problem.path.starts_with(std::string(section) + '.');
  });
}

template <typename... Sections>
bool has_problem(const CheckRequest& request, Sections... sections) {
  return std::ranges::any_of(request.problems,
                             [&](const auto& problem) { return is_about(problem, {sections...}); });
}

/// Whether plugin and parameters are right.
void look_at_plugin(const CheckRequest& request) {
  const config::ModelSpec& spec = request.run.spec.model;
  const auto model = load_plugin(request.run.spec, request.run.plugin_dirs);
  static_cast<void>(
      config::bind_params(spec.params, model.parameters, model.directory, model.name, "model.params"));
}

/// Whether the callbacks of plugins, and their parameters, are right.
void look_at_callbacks(const CheckRequest& request, Faults& faults) {
  const config::RunSpec& spec = request.run.spec;
  const Folders folders = plugin_folders(spec, request.run.plugin_dirs);
  for (std::size_t i = 0; i < spec.callbacks.size(); ++i) {
    const auto* callback = std::get_if<config::PluginCallbackSpec>(&spec.callbacks[i]);
    if (callback == nullptr) continue;
    faults.look_at([&] {
      static_cast<void>(load_plugin_callback(spec, *callback, fmt::format("callbacks.{}", i), folders));
    });
  }
}

/// The data of `lightrun test` and `predict`, where the config names it.
void look_at_other_data(Run& run, Faults& faults) {
  using Part = sources::ConfigData::Part;
  const config::DataSpec& spec = run.spec.data;
  for (const auto& [part, is_named] :
       {std::pair{Part::test, spec.test.has_value()}, {Part::predict, spec.predict.has_value()}}) {
    if (is_named) faults.look_at([&, part = part] { static_cast<void>(run.config_data->open(part)); });
  }
}

/// One batch of each kind goes through the whole loop.
void try_one_batch(Run& run) {
  run.spec.trainer.fast_dev_run = 1;
  run.plan = schedule::make_plan(
      run.spec.trainer, {.train = run.info.train_batches_available, .val = run.info.val_batches_available});
  run.info.sanity_batches = run.plan.sanity_batches;
  try {
    fit(run);
  } catch (...) {
    throw_as_error(run);
  }
}

void print_what_there_is(const Run& run, support::LinePrinter& printer) {
  const RunInfo& info = run.info;
  const int64_t parameters = state::parameter_count(*run.model);
  printer.line(fmt::format("model      {}, {}  ({})", info.model_name,
                           support::counted(parameters, "parameter", "parameters"), info.plugin_path));
  const auto count = [](std::optional<int64_t> batches) {
    return batches ? support::counted(*batches, "batch", "batches") : std::string("a stream");
  };
  printer.line(fmt::format("data       training {}, validation {}", count(info.train_batches),
                           info.val_batches == 0 ? "none" : count(info.val_batches)));
  std::string metrics;
  for (const auto& [name, value] : run.metrics.latest())
    metrics += fmt::format("  {} {}", name, support::value_text(value));
  printer.line("tried      one batch, backward, one step" +
               std::string(info.val_batches == 0 ? "" : ", one validation batch"));
  if (!metrics.empty()) printer.line("metrics  " + metrics);
  printer.line("nothing wrong");
}

}  // namespace
}  // namespace lightrun::engine

int lightrun_check(const lightrun::engine::CheckRequest& request) {
  using namespace lightrun;
  using namespace lightrun::engine;
  support::LinePrinter printer(STDOUT_FILENO, support::look_at_terminal(STDOUT_FILENO));
  const Logging logging(printer, request.run.verbose);
  Faults faults;
  faults.look_at([&] { config::throw_if_any(request.problems, request.files); });
  bool device_is_right = false;
  if (!has_problem(request, "trainer.devices", "trainer.accelerator", "trainer.precision")) {
    faults.look_at([&] {
      static_cast<void>(choose_device(request.run.spec));
      device_is_right = true;
    });
  }
  bool model_is_right = false;
  if (!has_problem(request, "model")) {
    faults.look_at([&] {
      look_at_plugin(request);
      model_is_right = true;
    });
  }
  RunRequest dry = request.run;
  dry.dry = dry.quiet = true;
  dry.spec.trainer.enable_progress_bar = false;
  if (has_problem(request, "callbacks")) dry.spec.callbacks.clear();  // they are not what was meant
  const bool can_build =
      device_is_right && model_is_right && !has_problem(request, "optimizer", "scheduler", "data");
  std::unique_ptr<Run> run;
  if (can_build) {
    const Attempt note = [&](const std::function<void()>& part) { faults.look_at(part); };
    faults.look_at([&] { run = build(dry, printer, {}, note); });
  } else if (!has_problem(request, "callbacks")) {
    look_at_callbacks(request, faults);
  }
  if (run) look_at_other_data(*run, faults);
  if (faults.any())
    faults.note("no batch was tried: check again when this is mended");
  else
    faults.look_at([&] { try_one_batch(*run); });
  faults.throw_them();
  if (!request.run.quiet) print_what_there_is(*run, printer);
  return 0;
}
