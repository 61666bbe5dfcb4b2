#include "engine/failure.hpp"

#include "engine/run.hpp"

#include <lightrun/error.hpp>

#include <c10/util/Exception.h>

namespace lightrun::engine {

std::string describe(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const Error& failure) {
    return failure.what();
  } catch (const c10::Error& failure) {
    const std::string text = failure.what_without_backtrace();
    return text.substr(0, text.find('\n'));
  } catch (const std::exception& failure) {
    const std::string text = failure.what();
    return text.substr(0, text.find('\n'));
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

void throw_as_error(const Run& run) {
  const std::exception_ptr error = std::current_exception();
  try {
    throw;
  } catch (const NonFiniteError&) {
    throw;
  } catch (const ConfigError&) {
    throw;
  } catch (...) {
    const std::string at = run.failure_place.empty() ? "" : " at " + run.failure_place + " (counted from 0)";
    throw RunError(std::string(run.bus->last()) + " failed" + at + ": " + describe(error));
  }
}

}  // namespace lightrun::engine
