#pragma once

#include <lightrun/export.hpp>

#include <stdexcept>
#include <string>

namespace lightrun {

/// What the process answers. A signal n gives 128 + n.
enum class ExitCode : int {
  ok = 0,
  usage = 2,      ///< the command line
  config = 3,     ///< the run spec: a file or a value in it
  plugin = 4,     ///< a shared library cannot be used
  runtime = 5,    ///< an exception in the model, a full disk, ...
  nonfinite = 6,  ///< stopped by `terminate_on_nan`
};

/// The one exception family. Its text says what, where, and what to do, in words for the user; it may have
/// several lines (one a problem). Plugins may throw any of them; whatever else they throw is a RunError.
class LIGHTRUN_API Error : public std::runtime_error {
 public:
  Error(ExitCode exit_code, const std::string& text) : std::runtime_error(text), exit_code_(exit_code) {}
  ~Error() override;

  [[nodiscard]] ExitCode exit_code() const { return exit_code_; }

 private:
  ExitCode exit_code_;
};

class LIGHTRUN_API UsageError : public Error {
 public:
  explicit UsageError(const std::string& text) : Error(ExitCode::usage, text) {}
  ~UsageError() override;
};

class LIGHTRUN_API ConfigError : public Error {
 public:
  explicit ConfigError(const std::string& text) : Error(ExitCode::config, text) {}
  ~ConfigError() override;
};

class LIGHTRUN_API PluginError : public Error {
 public:
  explicit PluginError(const std::string& text) : Error(ExitCode::plugin, text) {}
  ~PluginError() override;
};

class LIGHTRUN_API RunError : public Error {
 public:
  explicit RunError(const std::string& text) : Error(ExitCode::runtime, text) {}
  ~RunError() override;
};

class LIGHTRUN_API NonFiniteError : public Error {
 public:
  explicit NonFiniteError(const std::string& text) : Error(ExitCode::nonfinite, text) {}
  ~NonFiniteError() override;
};

}  // namespace lightrun
