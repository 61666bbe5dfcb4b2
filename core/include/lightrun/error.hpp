#pragma once

#include <lightrun/export.hpp>

#include <stdexcept>
#include <string>

namespace lightrun {

/// What the process answers, and what help and manual say of it. A signal n gives 128 + n.
/// EXIT_CODE(name, number, meaning)
// clang-format off
#define LIGHTRUN_EXIT_CODES(EXIT_CODE)               \
  EXIT_CODE(ok,        0, "done")                    \
  EXIT_CODE(usage,     2, "wrong command line")      \
  EXIT_CODE(config,    3, "wrong config")            \
  EXIT_CODE(plugin,    4, "unusable plugin")         \
  EXIT_CODE(runtime,   5, "error while running")     \
  EXIT_CODE(nonfinite, 6, "stopped by NaN or infinity")
// clang-format on

enum class ExitCode : int {
#define LIGHTRUN_EXIT_CODE(name, number, meaning) name = (number),
  LIGHTRUN_EXIT_CODES(LIGHTRUN_EXIT_CODE)
#undef LIGHTRUN_EXIT_CODE
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
