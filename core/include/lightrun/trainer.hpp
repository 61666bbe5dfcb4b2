#pragma once

#include <lightrun/callback.hpp>
#include <lightrun/context.hpp>
#include <lightrun/event.hpp>
#include <lightrun/export.hpp>
#include <lightrun/module.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lightrun {

/// `lightrun train` in a program of one's own:
///
///     auto model = lightrun::make_module<MyModel>();
///     lightrun::Trainer trainer({"config.yaml", "--max_epochs", "3"});
///     trainer.model(model).on(lightrun::Event::on_train_epoch_end, [](const lightrun::Context& context) {
///     ... }); trainer.fit();
///
/// Takes the config and makes the run folder, logs, checkpoints and output that the command makes. One run at
/// a time in a process: while fit() is under way, SIGINT, SIGTERM, SIGHUP and SIGUSR1 are handled as by the
/// command, afterwards as before.
class LIGHTRUN_API Trainer {
 public:
  /// @param words config files and settings, as after `lightrun train`
  explicit Trainer(std::vector<std::string> words);
  ~Trainer();
  Trainer(Trainer&&) noexcept;
  Trainer& operator=(Trainer&&) noexcept;

  /// Trains this model in place of the config's plugin; the config needs no `model` section then. Make it by
  /// make_module(), so that its hooks are known.
  Trainer& model(std::shared_ptr<Module> model);
  /// Calls `function` at an event that callbacks can have (see event.hpp), after the config's callbacks.
  Trainer& on(Event event, std::function<void(Context&)> function);
  /// Adds a callback (made by make_callback()), after the config's. It lives until fit() is over.
  Trainer& add(std::unique_ptr<Callback> callback);
  /// Goes on with a run: last, best, auto, or a checkpoint's path.
  Trainer& resume(std::string which);
  /// Prints warnings and errors only.
  Trainer& quiet(bool on = true);

  /// Trains; once. Throws lightrun::Error (ConfigError, PluginError, RunError, NonFiniteError), with the
  /// run's files closed and last.ckpt written, as the command leaves them.
  /// @return what the run came to
  struct Result {
    bool completed = false;  ///< false: a signal has ended it
    std::string reason;      ///< "max_epochs 3 reached"
    Metrics metrics;         ///< the last value of each
    std::string run_dir;     ///< the run's folder
  };
  Result fit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lightrun
