#include "engine/finish_loggers.hpp"

#include "engine/failure.hpp"
#include "engine/run.hpp"

#include <spdlog/spdlog.h>

#include <exception>
#include <utility>

namespace lightrun::engine {

void finish_loggers(Run& run, const std::string& status) {
  std::exception_ptr first;
  for (const auto& logger : std::exchange(run.loggers, {})) {
    try {
      logger->finalize(status);
    } catch (...) {
      if (first)
        spdlog::error("{}", describe(std::current_exception()));
      else
        first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace lightrun::engine
