#pragma once

namespace lightrun::app {

/// A function of liblightrun.so by its name; opens the library, and LibTorch with it (about half a second).
/// Throws RunError where it cannot be opened.
[[nodiscard]] void* engine_function(const char* symbol);

/// Calls the function that is named `symbol` (engine::kTrainSymbol, ...). Throws what it throws, and as
/// above.
template <typename Function, typename Request>
[[nodiscard]] int call_engine(const char* symbol, const Request& request) {
  return reinterpret_cast<Function*>(engine_function(symbol))(request);
}

}  // namespace lightrun::app
