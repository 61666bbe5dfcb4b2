#pragma once

#include <lightrun/callback.hpp>
#include <lightrun/data.hpp>
#include <lightrun/export.hpp>
#include <lightrun/make.hpp>
#include <lightrun/module.hpp>
#include <lightrun/params.hpp>
#include <lightrun/plugin_note.hpp>

#include <torch/version.h>

#include <concepts>
#include <memory>

namespace lightrun {

/// What a plugin hands over for each of its models, sources or callbacks once it is open: a list, linked in
/// the plugin.
template <typename Product>
struct PluginEntry {
  const char* name;
  Product (*create)(const Params& params);
  ParamDecls (*parameters)();
  const PluginEntry* next = nullptr;
};

using ModelEntry = PluginEntry<std::shared_ptr<Module>>;
using SourceEntry = PluginEntry<DataLoader>;
using CallbackEntry = PluginEntry<std::unique_ptr<Callback>>;

/// Names of the functions a plugin exports, `extern "C" const ModelEntry* lightrun_models()` and so on. One
/// built with an SDK before 3001 has the first alone.
inline constexpr const char* kModelsSymbol = "lightrun_models";
inline constexpr const char* kSourcesSymbol = "lightrun_sources";
inline constexpr const char* kCallbacksSymbol = "lightrun_callbacks";

namespace detail {

/// This library's own list; hidden, so every plugin has one.
template <typename Entry>
inline const Entry*& plugin_entries() {
  static const Entry* first = nullptr;
  return first;
}

/// Links an entry at load time.
template <typename Entry>
struct PluginRegistration {
  explicit PluginRegistration(Entry& entry) {
    entry.next = plugin_entries<Entry>();
    plugin_entries<Entry>() = &entry;
  }
};

template <typename T, typename Product>
[[nodiscard]] PluginEntry<Product> plugin_entry(const char* name, Product (*create)(const Params&)) {
  static_assert(std::constructible_from<T, const Params&>, "it is constructed from const lightrun::Params&");
  return {.name = name, .create = create, .parameters = []() -> ParamDecls {
            if constexpr (requires { T::parameters(); }) return T::parameters();
            return {};
          }};
}

template <typename T>
[[nodiscard]] ModelEntry model_entry(const char* name) {
  static_assert(std::derived_from<T, Module>, "a model derives from lightrun::Module");
  return plugin_entry<T, std::shared_ptr<Module>>(
      name, [](const Params& params) -> std::shared_ptr<Module> { return make_module<T>(params); });
}

template <typename T>
[[nodiscard]] SourceEntry source_entry(const char* name) {
  static_assert(std::derived_from<T, Dataset> || std::derived_from<T, IterableDataset>,
                "a source derives from lightrun::Dataset or lightrun::IterableDataset");
  return plugin_entry<T, DataLoader>(
      name, [](const Params& params) { return DataLoader(std::make_shared<T>(params)); });
}

template <typename T>
[[nodiscard]] CallbackEntry callback_entry(const char* name) {
  static_assert(std::derived_from<T, Callback>, "a callback derives from lightrun::Callback");
  return plugin_entry<T, std::unique_ptr<Callback>>(
      name, [](const Params& params) -> std::unique_ptr<Callback> { return make_callback<T>(params); });
}

}  // namespace detail
}  // namespace lightrun

extern "C" {
[[gnu::used]] LIGHTRUN_API inline const lightrun::ModelEntry* lightrun_models() {
  return lightrun::detail::plugin_entries<lightrun::ModelEntry>();
}
[[gnu::used]] LIGHTRUN_API inline const lightrun::SourceEntry* lightrun_sources() {
  return lightrun::detail::plugin_entries<lightrun::SourceEntry>();
}
[[gnu::used]] LIGHTRUN_API inline const lightrun::CallbackEntry* lightrun_callbacks() {
  return lightrun::detail::plugin_entries<lightrun::CallbackEntry>();
}
}

#define LIGHTRUN_CONCAT_(a, b) a##b
#define LIGHTRUN_CONCAT(a, b) LIGHTRUN_CONCAT_(a, b)

/// Offers a class as a model: LIGHTRUN_MODEL(DigitsMlp, "digits_mlp", "A small perceptron for 8x8 digits");
/// once a class, in a source file, at namespace level. The class has a constructor from `const Params&` and,
/// if it takes any, `static ParamDecls parameters()`. A library may offer any number of models, sources and
/// callbacks.
#define LIGHTRUN_MODEL(Class, name, help) \
  LIGHTRUN_OFFER_(::lightrun::detail::model_entry<Class>, model, name, help, __COUNTER__)

/// Offers a Dataset or an IterableDataset, likewise; in a config `data.train: {source: plugin, name: NAME,
/// params: {...}}`.
#define LIGHTRUN_SOURCE(Class, name, help) \
  LIGHTRUN_OFFER_(::lightrun::detail::source_entry<Class>, source, name, help, __COUNTER__)

/// Offers a Callback, likewise; in a config `callbacks: [{type: plugin, name: NAME, params: {...}}]`.
#define LIGHTRUN_CALLBACK(Class, name, help) \
  LIGHTRUN_OFFER_(::lightrun::detail::callback_entry<Class>, callback, name, help, __COUNTER__)

#define LIGHTRUN_OFFER_(make_entry, kind, name, help, id)                                                    \
  [[gnu::used, gnu::section(".note.lightrun"),                                                               \
    gnu::aligned(4)]] static constexpr ::lightrun::PluginNote LIGHTRUN_CONCAT(lightrun_note_, id) =          \
      ::lightrun::detail::plugin_note(::lightrun::PluginKind::kind, TORCH_VERSION, "g++ " __VERSION__, name, \
                                      help);                                                                 \
  static auto LIGHTRUN_CONCAT(lightrun_entry_, id) = make_entry(name);                                       \
  static const ::lightrun::detail::PluginRegistration LIGHTRUN_CONCAT(                                       \
      lightrun_registration_, id)(LIGHTRUN_CONCAT(lightrun_entry_, id))
