#pragma once

#include "engine_library.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace lightrun::app {

/// Once `command` is parsed, the function of liblightrun.so that is named `symbol` answers the request, which
/// the command's options fill in.
template <typename Function, typename Request>
void answer_with(CLI::App& command, const char* symbol, const std::shared_ptr<Request>& request,
                 int& exit_code) {
  command.final_callback(
      [symbol, request, &exit_code] { exit_code = call_engine<Function>(symbol, *request); });
}

}  // namespace lightrun::app
