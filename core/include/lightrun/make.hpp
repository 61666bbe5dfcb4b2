#pragma once

#include <lightrun/callback.hpp>
#include <lightrun/event.hpp>
#include <lightrun/module.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace lightrun {
namespace detail {

/// Whether T overrides the Base member that `member` points to. A member that cannot be named (overloaded or
/// not public in T) counts as overridden: the call is then made in vain, never missed.
#define LIGHTRUN_OVERRIDES(T, Base, name)                                \
  [] {                                                                   \
    if constexpr (requires { &T::name; })                                \
      return !std::is_same_v<decltype(&T::name), decltype(&Base::name)>; \
    else                                                                 \
      return true;                                                       \
  }()

template <typename T>
[[nodiscard]] EventSet module_overrides() {
  EventSet set;
#define LIGHTRUN_INSERT_OVERRIDE(name, who) \
  if (LIGHTRUN_OVERRIDES(T, Module, name)) set.insert(Event::name);
  LIGHTRUN_HOOKS(LIGHTRUN_INSERT_OVERRIDE)
#undef LIGHTRUN_INSERT_OVERRIDE
  return set;
}

template <typename T>
[[nodiscard]] EventSet callback_overrides() {
  EventSet set;
#define LIGHTRUN_INSERT_both(name) \
  if (LIGHTRUN_OVERRIDES(T, Callback, name)) set.insert(Event::name);
#define LIGHTRUN_INSERT_callback(name) LIGHTRUN_INSERT_both(name)
#define LIGHTRUN_INSERT_model(name)
#define LIGHTRUN_INSERT_summary(name)
#define LIGHTRUN_INSERT_work(name)
#define LIGHTRUN_INSERT_OVERRIDE(name, who) LIGHTRUN_INSERT_##who(name)
  LIGHTRUN_HOOKS(LIGHTRUN_INSERT_OVERRIDE)
#undef LIGHTRUN_INSERT_OVERRIDE
#undef LIGHTRUN_INSERT_both
#undef LIGHTRUN_INSERT_callback
#undef LIGHTRUN_INSERT_model
#undef LIGHTRUN_INSERT_summary
#undef LIGHTRUN_INSERT_work
  return set;
}

}  // namespace detail

/// A module that knows which hooks its class overrides.
template <typename T, typename... Args>
[[nodiscard]] std::shared_ptr<T> make_module(Args&&... args) {
  auto module = std::make_shared<T>(std::forward<Args>(args)...);
  module->set_overrides(detail::module_overrides<T>());
  return module;
}

/// A callback that is called only for the hooks its class overrides.
template <typename T, typename... Args>
[[nodiscard]] std::unique_ptr<T> make_callback(Args&&... args) {
  auto callback = std::make_unique<T>(std::forward<Args>(args)...);
  callback->set_wants(detail::callback_overrides<T>());
  return callback;
}

}  // namespace lightrun
