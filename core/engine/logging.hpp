#pragma once

#include <spdlog/common.h>

#include <memory>
#include <string>

namespace spdlog {
class logger;
}
namespace lightrun::support {
class LinePrinter;
}

namespace lightrun::engine {

/// The log of this process, for as long as the command runs: warnings to stderr, everything to the run's
/// log.txt once there is one.
class Logging {
 public:
  /// @param verbose the log's details go to stderr, too
  Logging(support::LinePrinter& printer, bool verbose);
  ~Logging();
  Logging(const Logging&) = delete;
  Logging& operator=(const Logging&) = delete;

  void add_file(const std::string& path);

  /// To the file only: main() prints what it was that ended the run.
  void error_to_file(const std::string& text);

 private:
  std::shared_ptr<spdlog::logger> earlier_;
  spdlog::sink_ptr file_;
};

}  // namespace lightrun::engine
