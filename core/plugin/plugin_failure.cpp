#include "plugin/plugin_failure.hpp"

#include "plugin/demangle.hpp"

#include <lightrun/error.hpp>

#include <c10/util/Exception.h>

#include <cxxabi.h>

#include <exception>
#include <string_view>
#include <typeinfo>

namespace lightrun::plugin {
namespace {

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

/// For what is no std::exception.
std::string thrown_type() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  return type == nullptr ? "something that is no C++ object" : demangled(type->name());
}

}  // namespace

void throw_plugin_failure(const std::string& what) {
  try {
    throw;
  } catch (const ConfigError&) {
    throw;
  } catch (const c10::Error& error) {
    throw PluginError(what + ": " + first_line(error.what_without_backtrace()));
  } catch (const std::exception& error) {
    throw PluginError(what + ": " + first_line(error.what()));
  } catch (...) {
    throw PluginError(what + ": it threw a value of type " + thrown_type() + ", not a std::exception");
  }
}

}  // namespace lightrun::plugin
