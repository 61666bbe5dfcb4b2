#pragma once

#include <lightrun/plugin.hpp>

#include <string>

namespace lightrun::plugin {

/// How messages speak of a kind of offer.
struct KindWords {
  const char* one;     ///< "model"
  const char* many;    ///< "models"
  const char* macro;   ///< "LIGHTRUN_MODEL"
  const char* symbol;  ///< the function that a plugin exports for it
};

[[nodiscard]] constexpr KindWords words_of(PluginKind kind) {
  switch (kind) {
    case PluginKind::source:
      return {"source", "sources", "LIGHTRUN_SOURCE", kSourcesSymbol};
    case PluginKind::callback:
      return {"callback", "callbacks", "LIGHTRUN_CALLBACK", kCallbacksSymbol};
    default:
      return {"model", "models", "LIGHTRUN_MODEL", kModelsSymbol};
  }
}

}  // namespace lightrun::plugin
