#pragma once

#include <lightrun/export.hpp>
#include <lightrun/make.hpp>
#include <lightrun/module.hpp>
#include <lightrun/params.hpp>
#include <lightrun/plugin_note.hpp>

#include <torch/version.h>

#include <concepts>
#include <memory>

namespace lightrun {

/// What a plugin hands over for each model once it is open: a list, linked in the plugin.
struct ModelEntry {
  const char* name;
  std::shared_ptr<Module> (*create)(const Params& params);
  ParamDecls (*parameters)();
  const ModelEntry* next = nullptr;
};

/// Name of the one function every plugin exports: `extern "C" const ModelEntry* lightrun_models()`.
inline constexpr const char* kModelsSymbol = "lightrun_models";

namespace detail {

/// This library's own list; hidden, so every plugin has one.
inline const ModelEntry*& model_entries() {
  static const ModelEntry* first = nullptr;
  return first;
}

/// Links an entry at load time.
struct ModelRegistration {
  explicit ModelRegistration(ModelEntry& entry) {
    entry.next = model_entries();
    model_entries() = &entry;
  }
};

template <typename T>
[[nodiscard]] ModelEntry model_entry(const char* name) {
  static_assert(std::derived_from<T, Module>, "a model derives from lightrun::Module");
  static_assert(std::constructible_from<T, const Params&>,
                "a model is constructed from const lightrun::Params&");
  return {.name = name,
          .create = [](const Params& params) -> std::shared_ptr<Module> { return make_module<T>(params); },
          .parameters = []() -> ParamDecls {
            if constexpr (requires { T::parameters(); }) return T::parameters();
            return {};
          }};
}

}  // namespace detail
}  // namespace lightrun

extern "C" {
[[gnu::used]] LIGHTRUN_API inline const lightrun::ModelEntry* lightrun_models() {
  return lightrun::detail::model_entries();
}
}

#define LIGHTRUN_CONCAT_(a, b) a##b
#define LIGHTRUN_CONCAT(a, b) LIGHTRUN_CONCAT_(a, b)

/// Offers a class as a model: LIGHTRUN_MODEL(DigitsMlp, "digits_mlp", "A small perceptron for 8x8 digits");
/// once a class, in a source file, at namespace level. The class has a constructor from `const Params&` and,
/// if it takes any, `static ParamDecls parameters()`.
#define LIGHTRUN_MODEL(Class, name, help) LIGHTRUN_MODEL_(Class, name, help, __COUNTER__)
#define LIGHTRUN_MODEL_(Class, name, help, id)                                                      \
  [[gnu::used, gnu::section(".note.lightrun"),                                                      \
    gnu::aligned(4)]] static constexpr ::lightrun::PluginNote LIGHTRUN_CONCAT(lightrun_note_, id) = \
      ::lightrun::detail::plugin_note(TORCH_VERSION, "g++ " __VERSION__, name, help);               \
  static ::lightrun::ModelEntry LIGHTRUN_CONCAT(lightrun_entry_, id) =                              \
      ::lightrun::detail::model_entry<Class>(name);                                                 \
  static const ::lightrun::detail::ModelRegistration LIGHTRUN_CONCAT(                               \
      lightrun_registration_, id)(LIGHTRUN_CONCAT(lightrun_entry_, id))
